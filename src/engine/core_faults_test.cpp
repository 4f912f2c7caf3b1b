// What becomes of a lane and its deliveries when a connection had gone stale, or when our own DNS
// resolver does not answer.

#include <chrono>

#include <gtest/gtest.h>

#include "engine/core.h"
#include "engine/lane_health.h"
#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using policy::FailureKind;
using policy::Outcome;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Numbers = std::vector<int>;
using State = lane::CircuitBreaker::State;

model::AttemptResult reset(bool is_stale) {
  model::AttemptResult result;
  result.outcome = Outcome::failed(FailureKind::Reset);
  result.is_stale_connection = is_stale;
  return result;
}

model::AttemptResult unresolved(Duration wait) {
  model::AttemptResult result;
  result.error = "our DNS resolver does not answer for host1";
  result.resolver_wait = wait;
  return result;
}

const LaneState& lane_one(const DrivenCore& shard) { return *shard.core.lane(endpoint_id(1)); }

TEST(StaleConnection, SpendsTheAttemptAndTheNextOneDialsAnew) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  ASSERT_FALSE(shard.out.begin()->second.order.dials_anew);

  shard.end(1, reset(true));
  shard.pass(seconds(10));

  EXPECT_EQ(shard.settled(0).progress.attempts, 1);
  EXPECT_EQ(shard.settled(0).attempts_total, 1);
  EXPECT_TRUE(shard.out.begin()->second.order.dials_anew);
  shard.end(1, 500);
  shard.pass(seconds(10));
  EXPECT_FALSE(shard.out.begin()->second.order.dials_anew);
}

TEST(StaleConnection, IsRememberedByADeliveryThatAnotherProcessTried) {
  DrivenCore shard;
  shard.add_lane(1);
  model::Delivery delivery = retrying(1);
  delivery.last_outcome = Outcome::failed(FailureKind::Reset).code();
  shard.keep(delivery);
  shard.core.nudge(endpoint_id(1));
  shard.step();
  EXPECT_TRUE(shard.out.begin()->second.order.dials_anew);
}

TEST(StaleConnection, NeverOpensACircuit) {
  for (const bool is_stale : {true, false}) {
    DrivenCore shard;
    shard.add_lane(1, {.in_flight_max = 1});
    for (int n = 1; n <= 50; ++n) {
      shard.accept(n);
      shard.step();
      if (!shard.out.empty()) shard.end(n, reset(is_stale));
    }
    const bool is_closed = lane_one(shard).guard.breaker().state() == State::Closed;
    EXPECT_EQ(is_closed, is_stale);
    EXPECT_EQ(shard.written.size(), is_stale ? 50U : 20U);
  }
}

TEST(StaleConnection, NeverOpensACircuitAlsoIfItTookTheLastAttempt) {
  for (const bool is_stale : {true, false}) {
    DrivenCore shard;
    LaneConfig config = lane_config(1);
    policy::RetryPolicy once = ten_seconds();
    once.attempts_max = 1;
    config.policy = std::make_shared<policy::RetryPolicy>(once);
    config.settings.in_flight_max = 1;
    shard.core.configure(config, shard.now);
    for (int n = 1; n <= 10; ++n) {
      shard.accept(n);
      shard.step();
      shard.end(n, reset(is_stale));
    }

    const bool is_closed = lane_one(shard).guard.breaker().state() == State::Closed;
    EXPECT_EQ(is_closed, is_stale);
  }
}

TEST(StaleConnection, NeverDecidesAProbeWhichDialsAnew) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 20; ++n) {
    shard.accept(n);
    shard.step();
    shard.end(n, 500);
  }

  shard.pass(seconds(19));

  ASSERT_EQ(shard.out.size(), 1U);
  EXPECT_TRUE(shard.out.begin()->second.order.dials_anew);
  shard.end_all(200);
  shard.pass(seconds(1));
  ASSERT_EQ(shard.out.size(), 1U);
  EXPECT_FALSE(shard.out.begin()->second.order.dials_anew);
}

TEST(OurResolver, KeepsTheWholeLaneWaitingAndSpendsNothing) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.add_lane(2);
  shard.accept(1);
  shard.accept(2);
  shard.step();

  shard.end(1, unresolved(seconds(4)));
  shard.accept(3, 2);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 3}));
  EXPECT_EQ(health_of(lane_one(shard), shard.now).waits_for,
            "our DNS resolver does not answer for host1; next try in 4s");
  shard.pass(seconds(4) - microseconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1, 3}));
  shard.pass(microseconds(1));
  EXPECT_EQ(shard.sent.size(), 3U);
  EXPECT_EQ(health_of(lane_one(shard), shard.now).waits_for, "1 of 1 request is in flight");
  for (const model::Settlement& each : shard.written) {
    EXPECT_EQ(each.attempt, std::nullopt);
    EXPECT_EQ(each.delivery.state, DeliveryState::Pending);
    EXPECT_EQ(each.delivery.progress.attempts, 0);
  }
}

TEST(OurResolver, BeginsTheTimeToGiveUpAtTheFirstTryAndWritesItOnce) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.pass(seconds(3));

  shard.end(1, unresolved(minutes(1)));
  shard.pass(minutes(1));
  shard.end(1, unresolved(minutes(1)));

  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.settled(0).progress.give_up_at, kWallStart + hours(1));
  EXPECT_EQ(shard.settled(0).due_at, kWallStart);
}

TEST(OurResolver, LetsADeliveryExpireThatItNeverAnswersForAlsoAfterARestart) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, unresolved(minutes(1)));

  DrivenCore next;
  next.add_lane(1);
  next.live = shard.live;
  next.core.nudge(endpoint_id(1));
  next.step();
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(next.out.size(), 1U) << i;
    next.end(1, unresolved(minutes(1)));
    next.pass(minutes(1));
  }
  EXPECT_EQ(next.written.size(), 0U);
  next.end(1, unresolved(minutes(1)));
  next.pass(minutes(1));

  ASSERT_EQ(next.written.size(), 1U);
  EXPECT_EQ(next.settled(0).state, DeliveryState::Dead);
  EXPECT_EQ(next.settled(0).reason, DeadReason::Expired);
  EXPECT_EQ(next.settled(0).attempts_total, 0);
}

TEST(OurResolver, IsAskedAtOnceWhenTheEndpointMoves) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, unresolved(minutes(1)));

  LaneConfig config = lane_config(1);
  config.record = endpoint_at("https://elsewhere:443/hook");
  shard.core.configure(config, shard.now);
  shard.accept(2);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
  shard.pass(seconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1, 2, 1}));
}

}  // namespace
}  // namespace petrel::engine
