#include "api/json/delivery.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/rfc3339.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

std::string last_end(const model::Delivery& delivery) {
  if (delivery.last_outcome == 0) return "no attempt was made";
  const policy::Outcome outcome = policy::Outcome::from_code(delivery.last_outcome);
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

// Disabled, paused or deleted.
bool is_off(const DeliveryView& view) {
  return view.endpoint != nullptr && !view.endpoint->may_send();
}

std::string why_held(const DeliveryView& view) {
  const model::Endpoint* const endpoint = view.endpoint;
  if (view.is_barred()) return view.suspicion->why;
  if (!is_off(view)) {
    return "the circuit of its endpoint is open: " + view.circuit->why;
  }
  if (endpoint->is_disabled) return "its endpoint is disabled";
  if (endpoint->pause) return "its endpoint is paused: " + endpoint->pause->why;
  return "its endpoint was deleted";
}

std::string backoff_words(const model::Delivery& delivery) {
  const model::Next& next = *delivery.next;
  std::string words = to_words(next.nominal) + " of backoff";
  // After a probe before its time the wait is the one from before, whatever the probe met.
  const bool is_doubled =
      delivery.last_outcome == 429 && !next.retry_after && next.basis == model::NextBasis::Schedule;
  if (is_doubled) words += ", doubled for a 429";
  if (next.jitter > Duration::zero()) words += " and " + to_words(next.jitter) + " of jitter";
  if (next.jitter < Duration::zero()) words += " less " + to_words(-next.jitter) + " of jitter";
  return words;
}

// What set the due time: "30s of backoff less 4s of jitter". Empty if that is not known.
std::string basis_words(const model::Delivery& delivery) {
  if (!delivery.next) return {};
  const model::Next& next = *delivery.next;
  switch (next.basis) {
    case model::NextBasis::Schedule:
    case model::NextBasis::Probe:
      return backoff_words(delivery);
    case model::NextBasis::RetryAfter: {
      const Duration asked = next.retry_after.value_or(Duration::zero());
      const Duration granted = next.not_before ? *next.not_before - delivery.updated_at : asked;
      std::string words = "the receiver asked for " + to_words(asked);
      // The record's own times are a hair later than the moment that the wait counts from.
      const bool is_capped = asked - granted > std::chrono::seconds(1);
      return is_capped ? words + ", more than its retry policy grants" : words;
    }
    case model::NextBasis::Release:
      return "the receiver has recovered";
    case model::NextBasis::Resend:
      return "sent again by a person";
    case model::NextBasis::Replay:
      return "put back by a replay";
  }
  return {};
}

std::string why_retrying(const DeliveryView& view) {
  const model::Delivery& delivery = view.delivery;
  const std::string attempt = fmt::format("{}; attempt {} of {}", last_end(delivery),
                                          delivery.progress.attempts + 1, view.attempts_max);
  const std::string due = to_rfc3339(delivery.due_at);
  if (delivery.due_at <= view.now) {
    return fmt::format("{} has been due since {} and waits for its turn", attempt, due);
  }
  const std::string basis = basis_words(delivery);
  if (basis.empty()) return fmt::format("{} is due at {}", attempt, due);
  return fmt::format("{} is due at {} ({})", attempt, due, basis);
}

std::string why_live(const DeliveryView& view) {
  const model::Delivery& delivery = view.delivery;
  const bool goes_alone = view.suspicion && view.suspicion->suspicion == engine::Suspicion::Alone;
  if (goes_alone && delivery.due_at <= view.now) return view.suspicion->why;
  if (delivery.state == DeliveryState::Retrying) return why_retrying(view);
  if (delivery.is_scheduled && delivery.due_at > view.now) {
    return "the producer wants it sent at " + to_rfc3339(delivery.due_at);
  }
  if (delivery.next && delivery.next->basis == model::NextBasis::Replay) {
    return "a replay put it back, and it waits for its turn";
  }
  if (delivery.is_manual) return "it was sent again by hand, and waits for its turn";
  return "it waits for its first attempt";
}

// Empty while the endpoint is off, or it is held after crashes, as the give-up clock stands still
// then.
std::optional<WallTime> give_up_time(const DeliveryView& view) {
  const model::Delivery& delivery = view.delivery;
  if (!delivery.is_live() || !delivery.progress.give_up_at) return std::nullopt;
  if (view.is_barred()) return std::nullopt;
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

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

void write_next(const std::optional<model::Next>& next, JsonWriter& json) {
  json.key("next");
  if (!next) {
    json.null();
    return;
  }
  json.begin_object().field("basis", to_string(next->basis));
  json.field("nominalMs", milliseconds(next->nominal));
  json.field("jitterMs", milliseconds(next->jitter));
  json.key("retryAfterMs");
  if (next->retry_after) {
    json.value(milliseconds(*next->retry_after));
  } else {
    json.null();
  }
  write_time("notBefore", next->not_before, json);
  json.end_object();
}

// What the message and the endpoint say, as far as they are still there.
void write_ends(const DeliveryView& view, JsonWriter& json) {
  json.key("eventType");
  if (view.message == nullptr) {
    json.null();
  } else {
    json.value(view.message->event_type);
  }
  json.key("eventId");
  if (view.message == nullptr || view.message->event_id.empty()) {
    json.null();
  } else {
    json.value(view.message->event_id);
  }
  write_time("acceptedAt",
             view.message == nullptr ? std::nullopt : std::optional(view.message->accepted_at),
             json);
  json.key("endpointUrl");
  if (view.endpoint == nullptr) {
    json.null();
  } else {
    json.value(view.endpoint->url);
  }
}

void write_last(const model::Delivery& delivery, JsonWriter& json) {
  const policy::Outcome outcome = policy::Outcome::from_code(delivery.last_outcome);
  const bool has_end = delivery.last_outcome != 0;
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

bool DeliveryView::is_barred() const {
  return delivery.is_live() && suspicion && suspicion->suspicion == engine::Suspicion::Barred;
}

bool DeliveryView::is_held() const {
  return delivery.is_live() && !is_sending && (is_barred() || is_off(*this) || circuit);
}

std::string_view shown_state(const DeliveryView& view) {
  if (view.is_sending && view.delivery.is_live()) return "sending";
  return view.is_held() ? "held" : to_string(view.delivery.state);
}

std::optional<WallTime> next_attempt_at(const DeliveryView& view) {
  if (!view.delivery.is_live() || view.is_sending || is_off(view)) return std::nullopt;
  if (view.is_barred()) return std::nullopt;
  if (!view.circuit) return view.delivery.due_at;
  if (!view.circuit->next_probe_at) return std::nullopt;
  // Behind an open circuit only what is to come is known: once the probe is due it is in flight, or
  // about to be, and what it meets decides when the others go.
  const WallTime at = std::max(view.delivery.due_at, *view.circuit->next_probe_at);
  return at > view.now ? std::optional(at) : std::nullopt;
}

std::string why(const DeliveryView& view) {
  if (view.delivery.state == DeliveryState::Dead) return why_dead(view);
  if (view.delivery.state == DeliveryState::Delivered) {
    return fmt::format("the receiver took it at attempt {}", view.delivery.attempts_total);
  }
  if (view.delivery.state == DeliveryState::Discarded) {
    return "a person discarded it; " + last_end(view.delivery);
  }
  if (view.is_sending) {
    return fmt::format("attempt {} of {} is in flight", view.delivery.progress.attempts + 1,
                       view.attempts_max);
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
  write_ends(view, json);
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
  write_time("nextAttemptAt", next_attempt_at(view), json);
  write_next(delivery.next, json);
  write_time("giveUpAt", give_up_time(view), json);
  write_last(delivery, json);
  json.field("updatedAt", to_rfc3339(delivery.updated_at));
  json.end_object();
}

}  // namespace petrel::api
