// What a lane brings over a restart.

#include <chrono>

#include <gtest/gtest.h>

#include "lane/lane.h"

namespace petrel::lane {
namespace {

using policy::Outcome;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using State = CircuitBreaker::State;

constexpr MonoTime kStart = MonoTime(seconds(1'000));
constexpr MonoTime kNextLife = MonoTime(seconds(7));  // The monotonic clock starts anywhere.

const Lane::AttemptReport kSuccess = {.outcome = Outcome::answered(200), .is_success = true};
const Lane::AttemptReport kFailure = {.outcome = Outcome::answered(500)};

class LaneSnapshot : public testing::Test {
 protected:
  bool attempt(Lane& in, MonoTime now, const Lane::AttemptReport& report) {
    const auto ticket = in.try_start(now);
    if (ticket) in.settle(*ticket, report, now, random);
    return ticket.has_value();
  }

  void fail(int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(attempt(lane, kStart, kFailure));
  }

  // The lane as it is after a restart that took `away`.
  Lane restarted(Duration away, MonoTime saved_at = kStart) const {
    Lane next({.releases_after_outage = true}, kNextLife);
    next.restore(lane.snapshot(saved_at), away, kNextLife);
    return next;
  }

  Random random{1};
  Lane lane{{.releases_after_outage = true}, kStart};
};

TEST_F(LaneSnapshot, AnOpenCircuitIsOpenAndItsTimeWentOn) {
  fail(20);
  ASSERT_EQ(lane.breaker().state(), State::Open);
  const Duration left = *lane.next_at(kStart) - kStart;
  EXPECT_FALSE(lane.is_at_ease(kStart));

  Lane next = restarted(seconds(5));

  EXPECT_EQ(next.breaker().state(), State::Open);
  EXPECT_EQ(next.breaker().why(), "20 failures in a row");
  EXPECT_EQ(*next.next_at(kNextLife) - kNextLife, left - seconds(5));
  EXPECT_FALSE(attempt(next, kNextLife, kSuccess));
}

TEST_F(LaneSnapshot, ACircuitThatWasOpenForLongIsProbedAtOnceAndOnlyOnce) {
  fail(20);
  Lane next = restarted(minutes(30));

  EXPECT_TRUE(next.try_start(kNextLife).has_value());
  EXPECT_FALSE(next.try_start(kNextLife).has_value());
}

TEST_F(LaneSnapshot, FailuresInARowGoOnCounting) {
  fail(19);
  EXPECT_FALSE(lane.is_at_ease(kStart));
  Lane next = restarted(seconds(1));

  EXPECT_TRUE(attempt(next, kNextLife, kFailure));

  EXPECT_EQ(next.breaker().state(), State::Open);
}

TEST_F(LaneSnapshot, ARampGoesOnWhereItWas) {
  fail(20);
  const MonoTime probed = *lane.next_at(kStart);
  ASSERT_TRUE(attempt(lane, probed, kSuccess));
  MonoTime now = probed;
  // Two good steps, each used to the full.
  while (now < probed + seconds(11)) {
    now += milliseconds(50);
    attempt(lane, now, kSuccess);
  }
  ASSERT_TRUE(lane.ramp().is_active(now));
  const Rate rate = lane.ramp().rate(now);
  EXPECT_TRUE(rate.is_faster_than(Rate::per_second(1)));

  const Lane next = restarted(seconds(1), now);

  EXPECT_TRUE(next.ramp().is_active(kNextLife));
  EXPECT_EQ(next.ramp().rate(kNextLife), rate);
  EXPECT_EQ(next.ramp().in_flight_max(kNextLife), lane.ramp().in_flight_max(now));
}

TEST_F(LaneSnapshot, AnOutageThatIsNotReleasedYetIsKnown) {
  fail(20);
  const MonoTime closed = *lane.next_at(kStart);
  ASSERT_TRUE(attempt(lane, closed, kSuccess));
  Lane next = restarted(seconds(30), closed + seconds(1));

  next.pass(kNextLife + seconds(5), false);

  const MonoTime ended = kNextLife - seconds(31);
  EXPECT_EQ(next.outage_to_release(), (Outage{.began = ended - (closed - kStart), .ended = ended}));
}

TEST_F(LaneSnapshot, TheTimeSinceTheFirstOpeningAndTheLastSuccessWentOn) {
  ASSERT_TRUE(attempt(lane, kStart - seconds(2), kSuccess));
  fail(20);
  const Lane next = restarted(minutes(30));

  EXPECT_EQ(next.breaker().first_opened(), kNextLife - minutes(30));
  EXPECT_EQ(next.breaker().last_success(), kNextLife - minutes(30) - seconds(2));
}

TEST_F(LaneSnapshot, TheFirstOpeningIsForgottenWithTheRampThatEndsIt) {
  fail(20);
  const MonoTime closed = *lane.next_at(kStart);
  ASSERT_TRUE(attempt(lane, closed, kSuccess));
  EXPECT_TRUE(restarted(seconds(1), closed).breaker().first_opened());

  // Its last step was over, and nothing had looked at it yet.
  ASSERT_TRUE(attempt(lane, closed + seconds(1), kSuccess));
  EXPECT_EQ(restarted(seconds(1), closed + seconds(5)).breaker().first_opened(), std::nullopt);

  Lane paused({.may_send = false}, kNextLife);
  paused.restore(lane.snapshot(closed), seconds(1), kNextLife);
  EXPECT_EQ(paused.breaker().first_opened(), std::nullopt);
  EXPECT_FALSE(paused.ramp().is_active(kNextLife));
}

TEST_F(LaneSnapshot, OneThatWasPausedBeginsWithARampIfItMaySend) {
  lane.configure({.may_send = false}, kStart);
  EXPECT_FALSE(lane.is_at_ease(kStart));
  EXPECT_TRUE(restarted(seconds(1)).ramp().is_active(kNextLife));

  Lane paused({.may_send = false}, kNextLife);
  paused.restore(lane.snapshot(kStart), seconds(1), kNextLife);
  EXPECT_FALSE(paused.ramp().is_active(kNextLife));
  paused.configure({}, kNextLife);
  EXPECT_TRUE(paused.ramp().is_active(kNextLife));
}

TEST_F(LaneSnapshot, AHoldLastsUntilItsMoment) {
  Lane::AttemptReport wait = {.outcome = Outcome::answered(503)};
  wait.held_until = kStart + seconds(60);
  ASSERT_TRUE(attempt(lane, kStart, wait));

  EXPECT_EQ(restarted(seconds(20)).hold().until(kNextLife), kNextLife + seconds(40));
  EXPECT_EQ(restarted(seconds(60)).hold().until(kNextLife), std::nullopt);
}

TEST_F(LaneSnapshot, AClockThatWasSetBackMakesNothingLonger) {
  fail(20);
  const Duration left = *lane.next_at(kStart) - kStart;

  EXPECT_EQ(*restarted(-minutes(60)).next_at(kNextLife) - kNextLife, left);
}

TEST_F(LaneSnapshot, ALaneWithNothingButSuccessesIsAtEase) {
  EXPECT_TRUE(lane.is_at_ease(kStart));
  ASSERT_TRUE(attempt(lane, kStart, kSuccess));
  EXPECT_TRUE(lane.is_at_ease(kStart));
  ASSERT_TRUE(attempt(lane, kStart, kFailure));
  EXPECT_FALSE(lane.is_at_ease(kStart));
  ASSERT_TRUE(attempt(lane, kStart, kSuccess));
  EXPECT_TRUE(lane.is_at_ease(kStart));
}

TEST_F(LaneSnapshot, AnOperatorMayTryNow) {
  fail(20);
  lane.probe_now(kStart);

  EXPECT_TRUE(attempt(lane, kStart, kSuccess));
  EXPECT_EQ(lane.breaker().state(), State::Closed);
}

TEST_F(LaneSnapshot, AnOperatorMayCloseTheCircuitWhichBeginsWithTheRamp) {
  fail(20);
  lane.force_close(kStart);

  EXPECT_EQ(lane.breaker().state(), State::Closed);
  EXPECT_TRUE(lane.ramp().is_active(kStart));
}

}  // namespace
}  // namespace petrel::lane
