#include "intake/new_message.h"

#include <utility>

#include "base/check.h"
#include "intake/names.h"
#include "model/endpoint.h"

namespace petrel::intake {

Status validate(const NewMessage& message) {
  if (Status status = check_event_type(message.event_type); !status.ok()) {
    return status.error().under("eventType");
  }
  if (!message.event_id.empty()) {
    const Status status = check_uid(message.event_id, MessageId::kPrefix);
    if (!status.ok()) return status.error().under("eventId");
  }
  if (!message.channels.empty()) {
    const Status status = check_channels(message.channels);
    if (!status.ok()) return status.error().under("channels");
  }
  return Done{};
}

Result<store::Acceptance> plan(NewMessage message, std::span<const store::EndpointPtr> endpoints,
                               WallTime now, KsuidMaker& maker) {
  CHECK(message.payload != nullptr);
  if (const Status status = validate(message); !status.ok()) return status.error();

  store::Acceptance acceptance;
  const MessageId id(maker.make(now));
  for (const store::EndpointPtr& endpoint : endpoints) {
    CHECK(endpoint->application == message.application);
    if (endpoint->is_disabled || !wants(*endpoint, message.event_type, message.channels)) continue;
    model::Delivery delivery;
    delivery.key = {endpoint->id, id};
    delivery.application = message.application;
    delivery.due_at = now;
    delivery.updated_at = now;
    acceptance.deliveries.push_back(std::move(delivery));
    acceptance.message.endpoints.push_back(endpoint->id);
  }
  acceptance.message.id = id;
  acceptance.message.application = message.application;
  acceptance.message.event_id = std::move(message.event_id);
  acceptance.message.event_type = std::move(message.event_type);
  acceptance.message.channels = std::move(message.channels);
  acceptance.message.accepted_at = now;
  acceptance.payload = std::move(message.payload);
  acceptance.idempotent = std::move(message.idempotent);
  return acceptance;
}

}  // namespace petrel::intake
