#include "api/json_delivery.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

model::Delivery in_state(DeliveryState state, std::uint16_t last_way = 0) {
  model::Delivery delivery;
  delivery.state = state;
  delivery.due_at = kNow;
  delivery.last_way = last_way;
  delivery.progress.attempts = delivery.attempts_total = last_way == 0 ? 0 : 3;
  return delivery;
}

std::string said(const model::Delivery& delivery, const model::Endpoint* endpoint = nullptr) {
  return why({.delivery = delivery, .message = nullptr, .endpoint = endpoint, .attempts_max = 12});
}

std::string_view state(const model::Delivery& delivery, const model::Endpoint* endpoint,
                       std::string circuit_why = "") {
  return shown_state({.delivery = delivery,
                      .message = nullptr,
                      .endpoint = endpoint,
                      .circuit_why = std::move(circuit_why)});
}

std::string said_dead(DeadReason reason, policy::Outcome last) {
  model::Delivery delivery = in_state(DeliveryState::Dead, last.way());
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
  EXPECT_EQ(state(live, &endpoint, "20 failures in a row"), "held");
  EXPECT_EQ(state(in_state(DeliveryState::Dead), &endpoint, "20 failures in a row"), "dead");
  EXPECT_EQ(why({.delivery = live,
                 .message = nullptr,
                 .endpoint = &endpoint,
                 .attempts_max = 12,
                 .circuit_why = "20 failures in a row"}),
            "the circuit of its endpoint is open: 20 failures in a row");
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
  model::Message message;
  message.event_type = "invoice.paid";
  JsonWriter json;
  write_delivery(
      {.delivery = delivery, .message = &message, .endpoint = nullptr, .attempts_max = 12}, json);
  EXPECT_EQ(
      json.text(),
      R"({"appId":"app_000000000000000000000000000","msgId":"msg_000000000000000000000000000",)"
      R"("endpointId":"ep_000000000000000000000000000","eventType":"invoice.paid",)"
      R"("status":"retrying","reason":null,"why":"the receiver answered 503; attempt 4 of 12 )"
      R"(is due at 2027-01-15T08:00:00.000000Z","attempt":3,"maxAttempts":12,)"
      R"("attemptsTotal":3,"isManual":false,)"
      R"("nextAttemptAt":"2027-01-15T08:00:00.000000Z",)"
      R"("giveUpAt":"2027-01-15T09:00:00.000000Z","lastStatus":503,"lastError":null,)"
      R"("updatedAt":"1970-01-01T00:00:00.000000Z"})");
}

}  // namespace
}  // namespace petrel::api
