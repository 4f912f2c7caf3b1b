#include "api/json/delivery.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

model::Delivery in_state(DeliveryState state, std::uint16_t last_outcome = 0) {
  model::Delivery delivery;
  delivery.state = state;
  delivery.due_at = kNow;
  delivery.last_outcome = last_outcome;
  delivery.progress.attempts = delivery.attempts_total = last_outcome == 0 ? 0 : 3;
  return delivery;
}

DeliveryView view_of(const model::Delivery& delivery, const model::Endpoint* endpoint = nullptr) {
  return {.delivery = delivery,
          .message = nullptr,
          .endpoint = endpoint,
          .attempts_max = 12,
          .now = kNow - std::chrono::seconds(30)};
}

std::string said(const model::Delivery& delivery, const model::Endpoint* endpoint = nullptr) {
  return why(view_of(delivery, endpoint));
}

// What is said of one that failed with this status and is due by these figures.
std::string said_of_next(const model::Next& next, std::uint16_t last_outcome = 503) {
  model::Delivery delivery = in_state(DeliveryState::Retrying, last_outcome);
  delivery.updated_at = kNow - std::chrono::seconds(60);
  delivery.next = next;
  const std::string text = said(delivery);
  const std::string due = "is due at 2027-01-15T08:00:00.000000Z";
  const std::size_t at = text.find(due);
  return at == std::string::npos ? text : text.substr(at + due.size());
}

std::string_view state(const model::Delivery& delivery, const model::Endpoint* endpoint,
                       std::optional<engine::OpenCircuit> circuit = std::nullopt) {
  DeliveryView view = view_of(delivery, endpoint);
  view.circuit = std::move(circuit);
  return shown_state(view);
}

std::string said_dead(DeadReason reason, policy::Outcome last) {
  model::Delivery delivery = in_state(DeliveryState::Dead, last.code());
  delivery.reason = reason;
  return said(delivery);
}

TEST(Why, SaysWhatALiveDeliveryWaitsFor) {
  EXPECT_EQ(said(in_state(DeliveryState::Pending)), "it waits for its first attempt");
  model::Delivery scheduled = in_state(DeliveryState::Pending);
  scheduled.is_scheduled = true;
  EXPECT_EQ(said(scheduled), "the producer wants it sent at 2027-01-15T08:00:00.000000Z");
  model::Delivery manual = in_state(DeliveryState::Pending);
  manual.is_manual = true;
  EXPECT_EQ(said(manual), "it was sent again by hand, and waits for its turn");
  EXPECT_EQ(said(in_state(DeliveryState::Retrying, 503)),
            "the receiver answered 503; attempt 4 of 12 is due at 2027-01-15T08:00:00.000000Z");
}

TEST(Why, SaysWhyADeliveryIsHeld) {
  SeededSecureRandom random{1};
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  const model::Delivery live = in_state(DeliveryState::Retrying, 503);
  EXPECT_EQ(state(live, &endpoint), "retrying");

  endpoint.pause = model::Pause{kNow, "the receiver answered 410"};
  EXPECT_EQ(state(live, &endpoint), "held");
  EXPECT_EQ(said(live, &endpoint), "its endpoint is paused: the receiver answered 410");
  endpoint.is_disabled = true;
  EXPECT_EQ(said(live, &endpoint), "its endpoint is disabled");
  EXPECT_EQ(state(in_state(DeliveryState::Delivered), &endpoint), "delivered");
}

TEST(Why, SaysThatTheCircuitIsOpen) {
  SeededSecureRandom random{1};
  const model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  const model::Delivery live = in_state(DeliveryState::Retrying, 503);
  const engine::OpenCircuit circuit{"20 failures in a row"};
  EXPECT_EQ(state(live, &endpoint, circuit), "held");
  EXPECT_EQ(state(in_state(DeliveryState::Dead), &endpoint, circuit), "dead");
  DeliveryView view = view_of(live, &endpoint);
  view.circuit = circuit;
  EXPECT_EQ(why(view), "the circuit of its endpoint is open: 20 failures in a row");
}

TEST(Why, SaysWhatSetTheDueTime) {
  using std::chrono::hours;
  using std::chrono::seconds;
  EXPECT_EQ(said_of_next({.nominal = seconds(60)}), " (1m of backoff)");
  EXPECT_EQ(said_of_next({.nominal = seconds(60), .jitter = seconds(5)}),
            " (1m of backoff and 5s of jitter)");
  EXPECT_EQ(said_of_next({.nominal = seconds(60), .jitter = seconds(-5)}),
            " (1m of backoff less 5s of jitter)");
  EXPECT_EQ(said_of_next({.nominal = seconds(60)}, 429), " (1m of backoff, doubled for a 429)");
  EXPECT_EQ(said_of_next({.basis = model::NextBasis::Probe, .nominal = seconds(60)}, 429),
            " (1m of backoff)");
  EXPECT_EQ(said_of_next({.basis = model::NextBasis::RetryAfter,
                          .nominal = seconds(30),
                          .retry_after = seconds(60),
                          .not_before = kNow}),
            " (the receiver asked for 1m)");
  EXPECT_EQ(said_of_next({.basis = model::NextBasis::RetryAfter,
                          .nominal = seconds(30),
                          .retry_after = hours(48),
                          .not_before = kNow}),
            " (the receiver asked for 2d, more than its retry policy grants)");
  EXPECT_EQ(said_of_next({.basis = model::NextBasis::Resend}), " (sent again by a person)");
}

TEST(Why, NeverSaysThatItIsDueAtATimeThatHasPassed) {
  const model::Delivery delivery = in_state(DeliveryState::Retrying, 503);
  DeliveryView view = view_of(delivery);
  view.now = kNow + std::chrono::seconds(1);
  EXPECT_EQ(why(view),
            "the receiver answered 503; attempt 4 of 12 has been due since "
            "2027-01-15T08:00:00.000000Z and waits for its turn");
}

TEST(Why, SaysThatAnAttemptIsInFlight) {
  const model::Delivery delivery = in_state(DeliveryState::Retrying, 503);
  DeliveryView view = view_of(delivery);
  view.is_sending = true;
  view.circuit = engine::OpenCircuit{"20 failures in a row"};
  EXPECT_EQ(shown_state(view), "sending") << "it may be the probe";
  EXPECT_EQ(why(view), "attempt 4 of 12 is in flight");
  EXPECT_EQ(next_attempt_at(view), std::nullopt);
}

TEST(NextAttempt, IsNeverBeforeTheEndpointCanTakeOne) {
  SeededSecureRandom random{1};
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  const model::Delivery live = in_state(DeliveryState::Retrying, 503);
  DeliveryView view = view_of(live, &endpoint);
  EXPECT_EQ(next_attempt_at(view), kNow);

  const WallTime probe_at = kNow + std::chrono::minutes(3);
  view.circuit = engine::OpenCircuit{"20 failures in a row", probe_at};
  EXPECT_EQ(next_attempt_at(view), probe_at);
  view.now = probe_at;
  EXPECT_EQ(next_attempt_at(view), std::nullopt) << "the probe has left, or is about to";
  view.circuit->next_probe_at.reset();
  EXPECT_EQ(next_attempt_at(view), std::nullopt) << "the probe in flight decides";

  view.circuit.reset();
  endpoint.is_disabled = true;
  EXPECT_EQ(next_attempt_at(view), std::nullopt);
}

TEST(Why, SaysHowItEnded) {
  const auto answered = [](int status) { return policy::Outcome::answered(status); };
  EXPECT_EQ(said(in_state(DeliveryState::Delivered, 200)), "the receiver took it at attempt 3");
  EXPECT_EQ(said_dead(DeadReason::Permanent, answered(404)),
            "the receiver answered 404, which is final");
  EXPECT_EQ(said_dead(DeadReason::Exhausted, policy::Outcome::failed(policy::FailureKind::Timeout)),
            "all 3 attempts are spent; the last attempt failed: timeout");
  EXPECT_EQ(said_dead(DeadReason::Expired, answered(503)),
            "its time ran out; the receiver answered 503");
  EXPECT_EQ(said_dead(DeadReason::Gone, answered(410)),
            "the receiver answered 410: it does not want this any more");
  EXPECT_EQ(said_dead(DeadReason::Cancelled, answered(503)),
            "it was cancelled, or its endpoint was deleted");
  model::Delivery aborted = in_state(DeliveryState::Dead, 503);
  aborted.reason = DeadReason::Cancelled;
  aborted.is_aborted = true;
  EXPECT_EQ(said(aborted), "the receiver answered 503 and asked that it not be tried again");
  EXPECT_EQ(said_dead(DeadReason::Blocked, policy::Outcome::blocked()),
            "the receiver's address is one that this server may not call");
}

TEST(WriteDelivery, HasEveryField) {
  model::Delivery delivery = in_state(DeliveryState::Retrying, 503);
  delivery.progress.give_up_at = kNow + std::chrono::hours(1);
  delivery.updated_at = kNow - std::chrono::minutes(2);
  model::Message message;
  message.event_type = "invoice.paid";
  message.event_id = "evt-1";
  message.accepted_at = kNow;
  delivery.next = {.basis = model::NextBasis::RetryAfter,
                   .nominal = std::chrono::seconds(30),
                   .jitter = std::chrono::milliseconds(-1500),
                   .retry_after = std::chrono::minutes(2),
                   .not_before = kNow};
  DeliveryView view = view_of(delivery);
  view.message = &message;
  JsonWriter json;
  write_delivery(view, json);
  EXPECT_EQ(
      json.text(),
      R"({"appId":"app_000000000000000000000000000","msgId":"msg_000000000000000000000000000",)"
      R"("endpointId":"ep_000000000000000000000000000","eventType":"invoice.paid",)"
      R"("eventId":"evt-1","acceptedAt":"2027-01-15T08:00:00.000000Z","endpointUrl":null,)"
      R"("status":"retrying","reason":null,"why":"the receiver answered 503; attempt 4 of 12 )"
      "is due at 2027-01-15T08:00:00.000000Z (the receiver asked for 2m)\","
      R"("attempt":3,)"
      R"("maxAttempts":12,"attemptsTotal":3,"isManual":false,)"
      R"("nextAttemptAt":"2027-01-15T08:00:00.000000Z",)"
      R"("next":{"basis":"retryAfter","nominalMs":30000,"jitterMs":-1500,)"
      R"("retryAfterMs":120000,"notBefore":"2027-01-15T08:00:00.000000Z"},)"
      R"("giveUpAt":"2027-01-15T09:00:00.000000Z","lastStatus":503,"lastError":null,)"
      R"("updatedAt":"2027-01-15T07:58:00.000000Z"})");
}

}  // namespace
}  // namespace petrel::api
