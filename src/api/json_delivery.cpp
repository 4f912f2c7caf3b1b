#include "api/json_delivery.h"

#include <optional>

#include <fmt/format.h>

#include "base/rfc3339.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

std::string last_end(const model::Delivery& delivery) {
  if (delivery.last_way == 0) return "no attempt was made";
  const policy::Outcome outcome = policy::Outcome::from_way(delivery.last_way);
  if (outcome.is_answer()) return "the receiver answered " + outcome.text();
  return "the last attempt failed: " + outcome.text();
}

std::string why_dead(const DeliveryView& view) {
  const std::string last = last_end(view.delivery);
  switch (view.delivery.reason.value_or(DeadReason::Cancelled)) {
    case DeadReason::Permanent:
      return last + ", which is final";
    case DeadReason::Exhausted:
      return fmt::format("all {} attempts are spent; {}", view.delivery.progress.attempts, last);
    case DeadReason::Expired:
      return "its time ran out; " + last;
    case DeadReason::Gone:
      return last + ": it does not want this any more";
    case DeadReason::Cancelled:
      if (view.delivery.is_aborted) return last + " and asked that it not be tried again";
      return "it was cancelled, or its endpoint was deleted";
    case DeadReason::Blocked:
      return "the receiver's address is one that this server may not call";
  }
  return last;
}

std::string why_held(const DeliveryView& view) {
  const model::Endpoint* const endpoint = view.endpoint;
  if (endpoint == nullptr || endpoint->may_send()) {
    return "the circuit of its endpoint is open: " + view.circuit_why;
  }
  if (endpoint->is_disabled) return "its endpoint is disabled";
  if (endpoint->pause) return "its endpoint is paused: " + endpoint->pause->why;
  return "its endpoint was deleted";
}

std::string why_live(const DeliveryView& view) {
  const model::Delivery& delivery = view.delivery;
  const std::string due = to_rfc3339(delivery.due_at);
  if (delivery.state == DeliveryState::Retrying) {
    return fmt::format("{}; attempt {} of {} is due at {}", last_end(delivery),
                       delivery.progress.attempts + 1, view.attempts_max, due);
  }
  if (delivery.is_scheduled) return "the producer wants it sent at " + due;
  if (delivery.is_manual) return "it was sent again by hand, and waits for its turn";
  return "it waits for its first attempt";
}

// Empty while the endpoint is off, as the give-up clock stands still then.
std::optional<WallTime> give_up_time(const DeliveryView& view) {
  const model::Delivery& delivery = view.delivery;
  if (!delivery.is_live() || !delivery.progress.give_up_at) return std::nullopt;
  if (view.endpoint == nullptr) return delivery.progress.give_up_at;
  if (!view.endpoint->may_send()) return std::nullopt;
  return *delivery.progress.give_up_at + view.endpoint->held.total;
}

void write_time(std::string_view name, const std::optional<WallTime>& time, JsonWriter& json) {
  json.key(name);
  if (time) {
    json.value(to_rfc3339(*time));
  } else {
    json.null();
  }
}

void write_last(const model::Delivery& delivery, JsonWriter& json) {
  const policy::Outcome outcome = policy::Outcome::from_way(delivery.last_way);
  const bool has_end = delivery.last_way != 0;
  json.key("lastStatus");
  if (has_end && outcome.is_answer()) {
    json.value(outcome.status());
  } else {
    json.null();
  }
  json.key("lastError");
  if (has_end && !outcome.is_answer()) {
    json.value(outcome.text());
  } else {
    json.null();
  }
}

}  // namespace

bool DeliveryView::is_held() const {
  const bool is_off = endpoint != nullptr && !endpoint->may_send();
  return delivery.is_live() && (is_off || !circuit_why.empty());
}

std::string_view shown_state(const DeliveryView& view) {
  return view.is_held() ? "held" : to_string(view.delivery.state);
}

std::string why(const DeliveryView& view) {
  if (view.delivery.state == DeliveryState::Dead) return why_dead(view);
  if (view.delivery.state == DeliveryState::Delivered) {
    return fmt::format("the receiver took it at attempt {}", view.delivery.attempts_total);
  }
  if (view.delivery.state == DeliveryState::Discarded) {
    return "somebody discarded it; " + last_end(view.delivery);
  }
  if (view.is_held()) return why_held(view);
  return why_live(view);
}

void write_delivery(const DeliveryView& view, JsonWriter& json) {
  const model::Delivery& delivery = view.delivery;
  json.begin_object();
  json.field("appId", delivery.application.text());
  json.field("msgId", delivery.key.message.text());
  json.field("endpointId", delivery.key.endpoint.text());
  json.key("eventType");
  if (view.message == nullptr) {
    json.null();
  } else {
    json.value(view.message->event_type);
  }
  json.field("status", shown_state(view));
  json.key("reason");
  if (delivery.reason) {
    json.value(to_string(*delivery.reason));
  } else {
    json.null();
  }
  json.field("why", why(view));
  json.field("attempt", delivery.progress.attempts).field("maxAttempts", view.attempts_max);
  json.field("attemptsTotal", delivery.attempts_total);
  json.field("isManual", delivery.is_manual);
  write_time("nextAttemptAt", delivery.is_live() ? std::optional(delivery.due_at) : std::nullopt,
             json);
  write_time("giveUpAt", give_up_time(view), json);
  write_last(delivery, json);
  json.field("updatedAt", to_rfc3339(delivery.updated_at));
  json.end_object();
}

}  // namespace petrel::api
