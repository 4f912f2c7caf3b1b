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

store::Acceptance drafted(NewMessage message, WallTime now, MessageId id) {
  store::Acceptance acceptance;
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

}  // namespace

Status validate_fields(const NewMessage& message) {
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
  const Duration retention = message.payload_retention.value_or(kPayloadRetentionMin);
  if (retention < kPayloadRetentionMin || retention > kPayloadRetentionMax) {
    return invalid("payloadRetentionHours", "must be 1 to 2160");
  }
  return Done{};
}

Status validate_times(const NewMessage& message, WallTime now) {
  if (!message.deliver_at) return Done{};
  const Duration wait = *message.deliver_at - now;
  if (wait < kDeliverInMin || wait > kDeliverInMax) {
    return invalid("deliverAt", "must be 1 minute to 24 hours ahead");
  }
  if (message.payload_retention && wait >= *message.payload_retention) {
    return invalid("deliverAt", "must come before the payload is deleted");
  }
  return Done{};
}

Status validate(const NewMessage& message, WallTime now) {
  TRY(validate_fields(message));
  return validate_times(message, now);
}

Result<store::Acceptance> plan(NewMessage message, std::span<const store::EndpointPtr> endpoints,
                               WallTime now, KsuidMaker& maker) {
  CHECK(message.payload != nullptr);
  TRY(validate(message, now));

  const MessageId id(maker.make(now));
  std::vector<model::Delivery> deliveries;
  for (const store::EndpointPtr& endpoint : endpoints) {
    CHECK(endpoint->application == message.application);
    if (!is_for(message, *endpoint)) continue;
    model::Delivery delivery;
    delivery.key = {endpoint->id, id};
    delivery.application = message.application;
    delivery.due_at = message.deliver_at.value_or(now);
    delivery.is_scheduled = message.deliver_at.has_value();
    delivery.updated_at = now;
    deliveries.push_back(std::move(delivery));
  }
  store::Acceptance acceptance = drafted(std::move(message), now, id);
  for (const model::Delivery& delivery : deliveries) {
    acceptance.message.endpoints.push_back(delivery.key.endpoint);
  }
  acceptance.deliveries = std::move(deliveries);
  return acceptance;
}

store::Acceptance ask_for_first_answer(NewMessage message, WallTime now, KsuidMaker& maker) {
  CHECK(message.payload != nullptr && message.idempotent);
  store::Acceptance question = drafted(std::move(message), now, MessageId(maker.make(now)));
  question.only_if_repeated = true;
  return question;
}

}  // namespace petrel::intake
