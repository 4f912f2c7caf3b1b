// When lanes leave a Core, and what they take along.

#include <chrono>

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(LaneLeaves, AnHourAfterItsLastAttempt) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, 200);

  shard.pass(minutes(54));
  EXPECT_EQ(shard.core.counts().lanes, 1U);
  shard.pass(minutes(6));

  EXPECT_EQ(shard.core.counts().lanes, 0U);
  EXPECT_EQ(shard.core.counts().authorities, 0U);
  ASSERT_EQ(shard.left.size(), 1U);
  EXPECT_TRUE(shard.left[0].is_at_ease);
  ASSERT_TRUE(shard.left[0].kept.has_value());
  const auto& tally = shard.left[0].kept->snapshot.breaker.tally;
  ASSERT_TRUE(tally.last_success_ago.has_value());
  EXPECT_GE(*tally.last_success_ago, minutes(54));
  EXPECT_EQ(shard.wake_at, std::nullopt);
}

TEST(LaneLeaves, NotWhileADeliveryWaits) {
  DrivenCore shard;
  shard.add_lane(1);
  LaneConfig paused = lane_config(1);
  paused.settings.may_send = false;
  shard.core.configure(paused, shard.now);
  shard.accept(1);
  shard.step();

  shard.pass(hours(5));

  EXPECT_EQ(shard.core.counts().lanes, 1U);
}

TEST(LaneLeaves, NotWhileItsOutcomeIsNotOnDisk) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.mood = DrivenCore::StoreMood::Slow;
  shard.end(1, 200);

  shard.pass(hours(3));
  EXPECT_EQ(shard.core.counts().lanes, 1U);
  shard.answer_settlement(1);

  EXPECT_EQ(shard.core.counts().lanes, 0U);
}

TEST(LaneLeaves, WithAnOpenCircuitThatIsStillOpenWhenItIsMadeAgain) {
  DrivenCore shard;
  lane::LaneSettings settings{.in_flight_max = 1};
  settings.breaker.streak_to_open = 1;
  LaneConfig config = lane_config(1);
  config.settings = settings;
  policy::RetryPolicy once = ten_seconds();
  once.attempts_max = 1;
  config.policy = std::make_shared<policy::RetryPolicy>(once);
  shard.core.configure(config, shard.now);
  shard.accept(1);
  shard.step();
  shard.end(1, 500);

  shard.pass(hours(2));

  ASSERT_EQ(shard.left.size(), 1U);
  EXPECT_FALSE(shard.left[0].is_at_ease);
  ASSERT_TRUE(shard.left[0].kept.has_value());
  EXPECT_EQ(shard.left[0].kept->snapshot.breaker.state, lane::CircuitBreaker::State::Open);
}

TEST(LaneLeaves, AtOnceWhenItsEndpointIsDeletedAndAllIsCancelled) {
  DrivenCore shard;
  shard.add_lane(1);
  for (int n = 1; n <= 3; ++n) shard.accept(n);
  LaneConfig deleted = lane_config(1);
  deleted.settings.may_send = false;
  deleted.is_deleted = true;
  shard.core.configure(deleted, shard.now);

  shard.step();

  EXPECT_EQ(shard.written.size(), 3U);
  EXPECT_EQ(shard.core.counts().lanes, 0U);
  EXPECT_EQ(shard.core.counts().authorities, 0U);
}

TEST(LaneReleased, StartsNothingAndLeavesWhenWhatIsInFlightIsOnDisk) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.accept(2);
  shard.step();
  shard.core.release(endpoint_id(1));
  shard.step();
  EXPECT_TRUE(shard.left.empty());

  shard.mood = DrivenCore::StoreMood::Slow;
  shard.end(1, 200);
  EXPECT_TRUE(shard.left.empty());
  shard.answer_settlement(1);

  EXPECT_EQ(shard.sent, std::vector({1}));
  ASSERT_EQ(shard.left.size(), 1U);
  EXPECT_EQ(shard.core.counts().lanes, 0U);
}

TEST(LaneReleased, AnAttemptThatWaitsForItsPayloadDoesNotGo) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  SendCommand send = shard.out.begin()->second;
  shard.out.clear();
  shard.core.release(endpoint_id(1));
  shard.step();
  EXPECT_TRUE(shard.left.empty());

  EXPECT_FALSE(shard.core.departs(send.ticket, send.order, shard.now));
  shard.step();

  EXPECT_EQ(shard.left.size(), 1U);
}

TEST(LaneReleased, LetsInTheNextLaneOfItsAuthority) {
  DrivenCore shard({.in_flight_per_authority = 1});
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    LaneConfig config = lane_config(endpoint);
    config.authority = "https://shared:443";
    shard.core.configure(config, shard.now);
    shard.accept(endpoint, endpoint);
  }
  shard.step();
  ASSERT_EQ(shard.sent, std::vector({1}));  // The others stand in line.
  shard.core.release(endpoint_id(2));
  shard.step();
  ASSERT_EQ(shard.left.size(), 1U);

  shard.end(1, 200);

  EXPECT_EQ(shard.sent, (std::vector{1, 3}));
}

TEST(LaneLeaves, ABacklogThatIsCancelledHoldsUpNobody) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.add_lane(2);
  shard.keep_pending(1, 2'000);
  LaneConfig deleted = lane_config(1);
  deleted.is_deleted = true;
  shard.core.configure(deleted, shard.now);
  shard.core.nudge(endpoint_id(1));
  shard.mood = DrivenCore::StoreMood::Slow;

  shard.step();
  EXPECT_EQ(shard.unanswered.size(), 256U);
  shard.accept(9'000, 2);
  shard.step();
  EXPECT_EQ(shard.sent, (std::vector{9'000}));

  shard.mood = DrivenCore::StoreMood::Well;
  for (const SettleCommand& each : std::vector<SettleCommand>(shard.unanswered)) {
    shard.answer_settlement(DrivenCore::number_of(each.settlement.delivery.key.message));
  }
  EXPECT_EQ(shard.written.size(), 2'000U);
}

TEST(AuthorityCap, ShrinksWhenItIsSetLower) {
  DrivenCore shard({.in_flight_per_authority = 2});
  const std::string authority = lane_config(1).authority;
  shard.add_lane(1, {.in_flight_max = 5});
  for (int n = 1; n <= 20; ++n) shard.accept(n);
  shard.step();
  ASSERT_EQ(shard.out.size(), 5U);

  shard.core.set_authority_limit(authority, {.cap = 2});
  for (int n = 1; n <= 4; ++n) shard.end(n, 200);
  EXPECT_EQ(shard.out.size(), 2U);

  shard.core.set_authority_limit(authority, {.cap = 4});
  shard.step();
  EXPECT_EQ(shard.out.size(), 4U);
}

TEST(LoweredLimit, HoldsForAttemptsThatWaitForTheirPayload) {
  const auto is_let_go = [](const std::function<void(LaneConfig&)>& change) {
    DrivenCore shard;
    shard.add_lane(1);
    shard.accept(1);
    shard.accept(2);
    shard.step();
    LaneConfig changed = lane_config(1);
    change(changed);
    shard.core.configure(changed, shard.now);
    SendCommand send = shard.out.begin()->second;
    return shard.core.departs(send.ticket, send.order, shard.now);
  };
  EXPECT_TRUE(is_let_go([](LaneConfig&) {}));
  EXPECT_TRUE(is_let_go([](LaneConfig& config) { config.settings.in_flight_max = 2; }));
  EXPECT_FALSE(is_let_go([](LaneConfig& config) { config.settings.in_flight_max = 1; }));
  EXPECT_FALSE(is_let_go([](LaneConfig& config) { config.settings.throttle_rate = 1; }));
  EXPECT_FALSE(is_let_go(
      [](LaneConfig& config) { config.shared_rate = std::make_shared<lane::SharedRate>(1); }));
}

TEST(LoweredLimit, OfAnAuthorityHoldsForAttemptsThatWaitForTheirPayload) {
  DrivenCore shard({.in_flight_per_authority = 1});
  shard.add_lane(1, {.in_flight_max = 2});
  shard.accept(1);
  shard.accept(2);
  shard.step();
  ASSERT_EQ(shard.out.size(), 2U);
  shard.core.set_authority_limit(lane_config(1).authority, {.cap = 1});
  SendCommand send = shard.out.begin()->second;
  EXPECT_FALSE(shard.core.departs(send.ticket, send.order, shard.now));
}

TEST(Expunge, APayloadInMemoryIsReadAgain) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  const auto payload = std::make_shared<const std::string>("{}");
  shard.accept(1, 1, payload);
  shard.accept(2, 1, payload);
  shard.step();
  ASSERT_NE(shard.out.begin()->second.order.payload, nullptr);

  shard.core.forget_payloads(endpoint_id(1));
  shard.end(1, 200);

  ASSERT_EQ(shard.out.size(), 1U);
  EXPECT_EQ(shard.out.begin()->second.order.payload, nullptr);
}

TEST(Expunge, APayloadThatIsBeingReadIsReadOnceMore) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  SendCommand send = shard.out.begin()->second;

  shard.core.forget_payloads(endpoint_id(1));
  EXPECT_FALSE(shard.core.departs(send.ticket, send.order, shard.now));
  shard.out.clear();
  shard.step();

  ASSERT_EQ(shard.out.size(), 1U);
  SendCommand& again = shard.out.begin()->second;
  EXPECT_TRUE(shard.core.departs(again.ticket, again.order, shard.now));
}

}  // namespace
}  // namespace petrel::engine
