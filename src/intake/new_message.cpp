#include "intake/new_message.h"

#include <utility>

#include "base/check.h"
#include "base/try.h"
#include "intake/names.h"
#include "model/endpoint.h"

namespace petrel::intake {

namespace {

bool is_for(const NewMessage& message, const model::Endpoint& endpoint) {
  if (message.only) return endpoint.id == *message.only;
  return !endpoint.is_disabled && wants(endpoint, message.event_type, message.channels);
}

Status check_times(const NewMessage& message, WallTime now) {
  if (message.deliver_at) {
    const Duration wait = *message.deliver_at - now;
    if (wait < kDeliverInMin || wait > kDeliverInMax) {
      return invalid("deliverAt", "must be 1 minute to 24 hours ahead");
    }
  }
  if (!message.payload_retention) return Done{};
  const Duration retention = *message.payload_retention;
  if (retention < kPayloadRetentionMin || retention > kPayloadRetentionMax) {
    return invalid("payloadRetentionHours", "must be 1 to 2160");
  }
  if (message.deliver_at && now + retention <= *message.deliver_at) {
    return invalid("deliverAt", "must come before the payload is deleted");
  }
  return Done{};
}

}  // namespace

Status validate(const NewMessage& message, WallTime now) {
  TRY(under("eventType", check_event_type(message.event_type)));
  if (!message.event_id.empty()) {
    TRY(under("eventId", check_uid(message.event_id, MessageId::kPrefix)));
  }
  if (!message.channels.empty()) {
    TRY(under("channels", check_channels(message.channels)));
  }
  if (!message.tags.empty()) {
    TRY(under("tags", check_tags(message.tags)));
  }
  return check_times(message, now);
}

Result<store::Acceptance> plan(NewMessage message, std::span<const store::EndpointPtr> endpoints,
                               WallTime now, KsuidMaker& maker) {
  CHECK(message.payload != nullptr);
  TRY(validate(message, now));

  store::Acceptance acceptance;
  const MessageId id(maker.make(now));
  for (const store::EndpointPtr& endpoint : endpoints) {
    CHECK(endpoint->application == message.application);
    if (!is_for(message, *endpoint)) continue;
    model::Delivery delivery;
    delivery.key = {endpoint->id, id};
    delivery.application = message.application;
    delivery.due_at = message.deliver_at.value_or(now);
    delivery.is_scheduled = message.deliver_at.has_value();
    delivery.updated_at = now;
    acceptance.deliveries.push_back(std::move(delivery));
    acceptance.message.endpoints.push_back(endpoint->id);
  }
  acceptance.message.id = id;
  acceptance.message.application = message.application;
  acceptance.message.event_id = std::move(message.event_id);
  acceptance.message.event_type = std::move(message.event_type);
  acceptance.message.channels = std::move(message.channels);
  acceptance.message.tags = std::move(message.tags);
  acceptance.message.accepted_at = now;
  acceptance.message.deliver_at = message.deliver_at;
  acceptance.message.content_type = std::move(message.content_type);
  if (message.payload_retention) {
    acceptance.message.payload_expires_at = now + *message.payload_retention;
  }
  acceptance.payload = std::move(message.payload);
  acceptance.idempotent = std::move(message.idempotent);
  return acceptance;
}

}  // namespace petrel::intake
