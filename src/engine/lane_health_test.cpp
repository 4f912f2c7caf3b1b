#include "engine/lane_health.h"

#include <chrono>

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using State = lane::CircuitBreaker::State;

LaneHealth health(const DrivenCore& shard) {
  return health_of(*shard.core.lane(endpoint_id(1)), shard.now);
}

TEST(LaneHealth, OfALaneAtEaseIsClosedWithRoom) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 4, .throttle_rate = 50});

  const LaneHealth seen = health(shard);

  EXPECT_EQ(seen.circuit.state, State::Closed);
  EXPECT_EQ(seen.circuit.since, kWallStart);
  EXPECT_EQ(seen.circuit.why, "");
  EXPECT_EQ(seen.circuit.next_probe_at, std::nullopt);
  EXPECT_EQ(seen.in_flight, 0);
  EXPECT_EQ(seen.in_flight_limit, 4);
  EXPECT_EQ(seen.throttle_rate, 50);
  EXPECT_FALSE(seen.ramp.has_value());
  EXPECT_EQ(seen.held_until, std::nullopt);
  EXPECT_EQ(seen.waits_for, "");
}

TEST(LaneHealth, SaysThatADeliveryWaitsForASlotOfTheServer) {
  DrivenCore shard({.slots = 1});
  shard.add_lane(2);
  shard.add_lane(1);
  shard.accept(1, 2);
  shard.accept(2, 1);
  shard.step();

  EXPECT_EQ(health(shard).waits_for, "a slot: the server has as many requests in flight as it may");
  shard.end(1, 200);
  EXPECT_EQ(health(shard).waits_for, "");
}

TEST(LaneHealth, SaysThatADeliveryWaitsForItsAuthority) {
  DrivenCore shard({.in_flight_per_authority = 1});
  shard.core.configure(lane_config(1), shard.now);
  shard.accept(1, 1);
  shard.accept(2, 1);
  shard.step();

  EXPECT_EQ(health(shard).waits_for, "the endpoints at " + lane_config(1).authority +
                                         " have as many requests in flight as they may together");
  shard.end(1, 200);
  EXPECT_EQ(health(shard).waits_for, "");
}

TEST(LaneHealth, SaysSinceWhenAndWhyACircuitIsOpenAndWhenItIsTriedNext) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 30; ++n) shard.accept(n);
  shard.step();
  for (int n = 0; n < 20; ++n) {
    shard.pass(milliseconds(10));
    shard.end_all(500);
  }

  const LaneHealth seen = health(shard);

  EXPECT_EQ(seen.circuit.state, State::Open);
  EXPECT_EQ(seen.circuit.since, shard.now.wall);
  EXPECT_EQ(seen.circuit.why, "20 failures in a row");
  ASSERT_TRUE(seen.circuit.next_probe_at.has_value());
  EXPECT_GE(*seen.circuit.next_probe_at, shard.now.wall + seconds(15));
  EXPECT_NE(seen.waits_for, "");
  EXPECT_EQ(seen.history.attempts, 20U);
  EXPECT_EQ(seen.history.successes, 0U);
}

TEST(LaneHealth, CountsRetriesAndHowLongAnswersTook) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.pass(milliseconds(100));
  shard.end(1, 500);
  shard.pass(seconds(10));
  shard.pass(milliseconds(100));
  shard.end(1, 200);

  const LaneHealth seen = health(shard);

  EXPECT_EQ(seen.history.attempts, 2U);
  EXPECT_EQ(seen.history.successes, 1U);
  EXPECT_EQ(seen.history.retry_ratio, 0.5);
  EXPECT_GE(*seen.history.latency_p50, milliseconds(100));
  EXPECT_LE(*seen.history.latency_p50, milliseconds(142));
}

TEST(LaneHealth, ShowsAHoldAndTheRampAfterAPause) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  model::AttemptResult busy = DrivenCore::answered(503);
  busy.retry_after = "60";
  shard.end(1, busy);
  EXPECT_EQ(health(shard).held_until, kWallStart + seconds(60));

  shard.add_lane(1, {.may_send = false});
  EXPECT_EQ(health(shard).waits_for, "endpoint paused");
  shard.add_lane(1);
  ASSERT_TRUE(health(shard).ramp.has_value());
  EXPECT_EQ(health(shard).ramp->in_flight_max, 1);
}

TEST(LaneHealth, ARampIsOverFiveSecondsAfterTheLastAttemptOnAnIdleLane) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end_all(200);
  shard.pass(milliseconds(4'999));
  EXPECT_TRUE(health(shard).ramp.has_value());
  EXPECT_TRUE(shard.wake_at.has_value());

  shard.pass(milliseconds(1));

  EXPECT_FALSE(health(shard).ramp.has_value());
  EXPECT_FALSE(shard.core.lane(endpoint_id(1))->guard.ramp_step_ends_at().has_value());
  EXPECT_GE(shard.wake_at, shard.now.mono + std::chrono::minutes(54));  // Only to leave.
}

TEST(LaneHealth, ARampIsOverAlsoIfNothingCameAndWhatWaitsIsNotDue) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.keep(retrying(1, seconds(60)));
  shard.core.nudge(endpoint_id(1));
  shard.add_lane(1);
  shard.step();

  shard.pass(seconds(5));

  EXPECT_FALSE(shard.core.lane(endpoint_id(1))->guard.ramp_step_ends_at().has_value());
  EXPECT_EQ(shard.wake_at, kMonoStart + seconds(60));
}

TEST(LaneHealth, ARampGoesOnThatMadeSomethingWaitWhichBecameDueMeanwhile) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end_all(200);
  // Due before the ramp lets the next one go, which is after a second.
  model::Delivery scheduled = pending(2, shard.now.wall - kWallStart);
  scheduled.is_scheduled = true;
  scheduled.due_at = shard.now.wall + milliseconds(300);
  shard.keep(scheduled);
  shard.core.accepted({scheduled, nullptr}, shard.now);
  shard.step();
  shard.pass(seconds(1));
  ASSERT_EQ(shard.out.size(), 1U);
  shard.end_all(200);

  shard.pass(seconds(5));

  EXPECT_TRUE(health(shard).ramp.has_value());
}

TEST(LaneHealth, ARampGoesOnWhileAnAttemptHasNoAnswer) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.add_lane(1);
  shard.accept(1);
  shard.step();

  shard.pass(seconds(14));

  EXPECT_TRUE(health(shard).ramp.has_value());
}

TEST(LaneHealth, ARampFromBeforeARestartEndsOnAnIdleLaneToo) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.add_lane(1);
  LaneConfig config = lane_config(2);
  const lane::Lane& ramping = shard.core.lane(endpoint_id(1))->guard;
  config.kept = store::KeptLane{ramping.snapshot(shard.now.mono), shard.now.wall};
  shard.core.configure(config, shard.now);
  shard.step();

  shard.pass(seconds(5));

  ASSERT_FALSE(shard.left.empty());  // Without anything to do, it leaves.
  EXPECT_EQ(shard.left.back().endpoint, endpoint_id(2));
  EXPECT_TRUE(shard.left.back().is_at_ease);
}

TEST(Operator, MayHaveACircuitTriedNowAlsoIfNothingIsDue) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 20; ++n) shard.accept(n);
  shard.step();
  for (int n = 0; n < 20; ++n) shard.end_all(500);
  ASSERT_EQ(health(shard).circuit.state, State::Open);
  ASSERT_TRUE(shard.out.empty());

  shard.core.probe_now(endpoint_id(1), shard.now);
  shard.step();
  ASSERT_EQ(shard.out.size(), 1U);
  shard.end_all(200);

  EXPECT_EQ(health(shard).circuit.state, State::Closed);
}

TEST(Probe, WaitsAMomentAfterAFaultOfOurs) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 21; ++n) shard.accept(n);
  shard.step();
  for (int n = 0; n < 20; ++n) shard.end_all(500);
  shard.core.probe_now(endpoint_id(1), shard.now);
  shard.step();
  ASSERT_EQ(shard.sent.size(), 21U);

  shard.end(shard.sent.back(), model::AttemptResult());  // Of ours, as no outcome is set.
  EXPECT_EQ(shard.sent.size(), 21U);
  shard.pass(milliseconds(900));
  EXPECT_EQ(shard.sent.size(), 21U);
  shard.pass(milliseconds(100));
  EXPECT_EQ(shard.sent.size(), 22U);
}

TEST(Operator, MayCloseACircuit) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 25; ++n) shard.accept(n);
  shard.step();
  for (int n = 0; n < 20; ++n) shard.end_all(500);
  ASSERT_EQ(health(shard).circuit.state, State::Open);

  shard.core.close_circuit(endpoint_id(1), shard.now);
  shard.step();

  EXPECT_EQ(health(shard).circuit.state, State::Closed);
  EXPECT_EQ(shard.out.size(), 1U);
  shard.core.probe_now(endpoint_id(7), shard.now);  // There is no such lane.
  shard.core.close_circuit(endpoint_id(7), shard.now);
}

TEST(KeptState, ACircuitThatAFailureOpenedIsOpenForTheNextProcess) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 25; ++n) shard.accept(n);
  shard.step();
  for (int n = 0; n < 20; ++n) shard.end_all(500);
  const auto kept = store::decode_kept_lane(*shard.written.back().lane);

  DrivenCore next;
  LaneConfig config = lane_config(1);
  config.kept = kept.value();
  next.core.configure(config, next.now);
  next.keep_pending(21, 25);
  next.core.nudge(endpoint_id(1));
  next.step();

  EXPECT_EQ(health(next).circuit.state, State::Open);
  EXPECT_TRUE(next.sent.empty());
  next.pass(seconds(20));
  EXPECT_EQ(next.sent.size(), 1U);  // The probe.
}

TEST(KeptState, ALaneAtEaseWritesItsFirstSuccessAndThenOneEveryHalfHour) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 3; ++n) {
    shard.accept(n);
    shard.step();
    shard.end_all(200);
    shard.pass(minutes(15));
  }

  EXPECT_NE(shard.written[0].lane.value_or(""), "");
  EXPECT_EQ(shard.written[1].lane, std::nullopt);
  EXPECT_NE(shard.written[2].lane.value_or(""), "");
}

TEST(KeptState, ALaneThatIsAtEaseAgainSaysSo) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 3; ++n) shard.accept(n);
  shard.step();
  shard.end_all(500);
  EXPECT_EQ(store::decode_kept_lane(*shard.written[0].lane)->snapshot.breaker.tally.streak, 1);
  shard.end_all(200);
  EXPECT_EQ(store::decode_kept_lane(*shard.written[1].lane)->snapshot.breaker.tally.streak, 0);
  shard.end_all(200);
  EXPECT_EQ(shard.written[2].lane, std::nullopt);
}

}  // namespace
}  // namespace petrel::engine
