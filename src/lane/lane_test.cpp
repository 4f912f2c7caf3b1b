#include "lane/lane.h"

#include <chrono>
#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lane/testing/scene.h"

namespace petrel::lane {
namespace {

using policy::FailureKind;
using policy::Outcome;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Lane, C6_D3_HasAtMostTenInFlightByDefault) {
  Scene scene;

  for (int i = 0; i < 10; ++i) EXPECT_TRUE(scene.start());

  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.in_flight(), 10);
  EXPECT_EQ(scene.lane.next_at(scene.now), std::nullopt);
  scene.end(success());
  EXPECT_TRUE(scene.start());
}

TEST(Lane, C11_ARateHoldsForEveryAttempt) {
  Scene scene({.throttle_rate = 5});

  scene.attempt(success());

  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.next_at(scene.now), kStart + milliseconds(200));
  scene.now = kStart + milliseconds(200);
  scene.attempt(answered(500));
  EXPECT_EQ(scene.lane.next_at(scene.now), kStart + milliseconds(400));
}

TEST(Lane, C11_AChangedRateHoldsAtOnceAndOneThatIsTakenAwayNoMore) {
  Scene scene({.throttle_rate = 5});
  scene.attempt(success());

  scene.configure({.throttle_rate = 2});
  EXPECT_EQ(scene.lane.next_at(scene.now), kStart + milliseconds(500));

  scene.configure({});
  EXPECT_TRUE(scene.start());
}

TEST(Lane, A6_StandsStillForAsLongAsTheReceiverAsked) {
  Scene scene;

  scene.attempt(asking_to_wait(503, kStart + seconds(30)));

  EXPECT_EQ(scene.lane.next_at(scene.now), kStart + seconds(30));
  scene.now = kStart + seconds(30) - microseconds(1);
  EXPECT_FALSE(scene.start());
  scene.now = kStart + seconds(30);
  EXPECT_TRUE(scene.start());
}

TEST(Lane, ARefusalByAnotherGuardTakesNoToken) {
  Scene scene({.in_flight_max = 1, .throttle_rate = 1});
  ASSERT_TRUE(scene.start());
  scene.now += seconds(1);

  EXPECT_FALSE(scene.start());  // The token is there, the place in flight is not.

  scene.end(asking_to_wait(503, scene.now + milliseconds(1)));
  EXPECT_FALSE(scene.start());
  scene.now += milliseconds(1);
  EXPECT_TRUE(scene.start());
}

TEST(Lane, ARefusalByAnotherGuardDoesNotKeepTheRampGoing) {
  Scene scene({.in_flight_max = 1});
  scene.recover();
  const MonoTime closed_at = scene.now;

  // One in flight is all that this endpoint is ever allowed.
  ASSERT_TRUE(scene.start());
  EXPECT_FALSE(scene.start());
  scene.end(success());

  EXPECT_TRUE(scene.lane.ramp().is_active(closed_at + seconds(5) - microseconds(1)));
  EXPECT_FALSE(scene.lane.ramp().is_active(closed_at + seconds(5)));
}

TEST(Lane, AStepOfTheRampInWhichTheReceiverPushedBackIsRepeated) {
  for (const AttemptReport& bad : {answered(429), answered(500)}) {
    Scene scene;
    scene.recover();
    const MonoTime closed_at = scene.now;

    scene.attempt(bad);

    EXPECT_TRUE(scene.lane.ramp().is_active(closed_at + seconds(5)));
  }
}

TEST(Lane, ACircuitOpensByTheFiguresThatHoldNow) {
  Scene scene;
  scene.attempt_times(3, answered(500));
  LaneSettings stricter;
  stricter.breaker.streak_to_open = 4;

  scene.configure(stricter);
  scene.attempt(answered(500));

  EXPECT_EQ(scene.lane.breaker().state(), State::Open);
}

TEST(Lane, B6_TwentyFailuresInARowOpenTheCircuitAndNothingStarts) {
  Scene scene;
  scene.attempt_times(19, answered(500));
  EXPECT_EQ(scene.lane.next_at(scene.now), kStart);

  scene.attempt(timed_out());

  EXPECT_EQ(scene.lane.breaker().state(), State::Open);
  EXPECT_FALSE(scene.start());
  const auto next = scene.lane.next_at(scene.now);
  ASSERT_TRUE(next);
  EXPECT_GE(*next, kStart + seconds(15));
  EXPECT_LE(*next, kStart + milliseconds(18'750));
}

TEST(Lane, B6_OneProbeIsOutAtATime) {
  Scene scene;
  scene.open_circuit();

  scene.start_probe();

  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.next_at(scene.now), std::nullopt);
  scene.now += hours(1);
  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.in_flight(), 1);
}

TEST(Lane, B6_AProbeThatFailsKeepsTheCircuitOpenForAnEighthOfTheTimeItWasOpen) {
  Scene scene;
  scene.open_circuit();
  while (scene.now < kStart + minutes(40)) {
    scene.start_probe();
    scene.end(answered(500));
  }

  const Duration base = (scene.now - kStart) / 8;
  const auto next = scene.lane.next_at(scene.now);
  ASSERT_TRUE(next);
  EXPECT_GE(*next, scene.now + base);
  EXPECT_LE(*next, scene.now + base + base / 4);
}

TEST(Lane, B6_A429ToAProbeMeansProbingAgainAfterItsHold) {
  Scene scene;
  scene.open_circuit();

  scene.start_probe();
  scene.end(asking_to_wait(429, scene.now + minutes(7)));

  EXPECT_EQ(scene.lane.breaker().state(), State::Open);
  EXPECT_EQ(scene.lane.next_at(scene.now), scene.now + minutes(7));
}

TEST(Lane, C10_A410ToAProbeShowsThatTheReceiverIsThere) {
  Scene scene;
  scene.open_circuit();

  scene.start_probe();
  scene.end(answered(410));

  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
}

TEST(Lane, C9_AFaultOfOursCountsForNothing) {
  Scene scene;
  scene.attempt_times(19, answered(500));

  scene.attempt_times(100, our_fault());

  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
  EXPECT_EQ(scene.lane.limit().limit(), 10);
}

TEST(Lane, C9_AfterAProbeThatWeSpoiltAnotherMayGoAtOnce) {
  Scene scene;
  scene.open_circuit();

  scene.start_probe();
  scene.end(our_fault());

  EXPECT_EQ(scene.lane.next_at(scene.now), scene.now);
  EXPECT_TRUE(scene.start());
  EXPECT_FALSE(scene.start());
}

TEST(Lane, E6_TenDeliveriesGivenUpWithoutASuccessOpenTheCircuit) {
  Scene scene;
  AttemptReport last = answered(500);
  last.is_exhausted = true;

  for (int i = 0; i < 9; ++i) scene.lane.exhausted(scene.now, scene.random);
  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
  scene.attempt(last);

  EXPECT_EQ(scene.lane.breaker().why(), "10 exhausted deliveries within 1d and no success");
}

TEST(Lane, A408DoesNotRaiseTheAdaptiveLimit) {
  Scene scene({.in_flight_max = 20});
  scene.attempt(answered(503));
  ASSERT_EQ(scene.lane.limit().limit(), 5);

  for (int i = 0; i < 5; ++i) scene.attempt(answered(408));
  EXPECT_EQ(scene.lane.limit().limit(), 5);
  for (int i = 0; i < 5; ++i) scene.attempt(answered(404));

  EXPECT_EQ(scene.lane.limit().limit(), 6);
}

TEST(Lane, D4_ARampFollowsAClosedCircuit) {
  Scene scene;

  scene.recover();

  EXPECT_TRUE(scene.start());
  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.in_flight(), 1);
  scene.end(success());
  EXPECT_FALSE(scene.start());  // Two a second: a tenth of the 20 within the second before.
  EXPECT_EQ(scene.lane.next_at(scene.now), scene.now + milliseconds(500));
}

TEST(Lane, D4_TheRampGrowsFromStepToStep) {
  Scene scene;
  scene.recover();
  scene.attempt(success());
  ASSERT_FALSE(scene.start());

  scene.now += seconds(5);

  EXPECT_TRUE(scene.start());
  EXPECT_EQ(scene.lane.ramp().in_flight_max(scene.now), 2);
  EXPECT_EQ(scene.lane.ramp().rate(scene.now), Rate::per_second(4));
}

TEST(Lane, D4_ARampFollowsAPauseWithATenthOfTheRateBeforeIt) {
  Scene scene;
  for (int i = 0; i < 60 * 50; ++i) {
    scene.attempt(success());
    scene.now += milliseconds(20);
  }
  const auto before = scene.lane.breaker().rate(scene.now);
  ASSERT_TRUE(before);

  scene.configure({.may_send = false});
  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.next_at(scene.now), std::nullopt);
  scene.now += hours(5);
  scene.configure({});

  EXPECT_TRUE(scene.lane.ramp().is_active(scene.now));
  EXPECT_EQ(scene.lane.ramp().in_flight_max(scene.now), 1);
  EXPECT_EQ(scene.lane.ramp().rate(scene.now), before->divided_by(10));
  EXPECT_TRUE(scene.lane.ramp().rate(scene.now).is_faster_than(Rate::per_second(4)));
}

// Its own rate refuses first, each time, but it is the ramp that it waits for.
TEST(Lane, D4_ARampGoesOnForAnEndpointWithARateOfItsOwn) {
  Scene scene({.throttle_rate = 8, .may_send = false});
  scene.configure({.throttle_rate = 8});
  int sent = 0;
  while (scene.now < kStart + seconds(6)) {
    while (scene.start()) {
      ++sent;
      scene.end(success());
    }
    scene.now = *scene.lane.next_at(scene.now);
  }
  EXPECT_LE(sent, 8);  // One each second for five seconds, then two.
  EXPECT_TRUE(scene.lane.ramp().is_active(scene.now));
  EXPECT_EQ(scene.lane.ramp().rate(scene.now), Rate::per_second(2));
}

TEST(Lane, D4_ARampIsOverWhenItsEndpointsOwnRateIsSlower) {
  Scene scene({.throttle_rate = 1, .may_send = false});
  scene.configure({.throttle_rate = 1});
  while (scene.now < kStart + seconds(11)) {
    while (scene.start()) scene.end(success());
    scene.now = *scene.lane.next_at(scene.now);
  }
  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));
}

TEST(Lane, D4_OtherSettingsThanThePauseStartNoRamp) {
  Scene scene;

  scene.configure({.in_flight_max = 20, .throttle_rate = 100});

  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));
}

TEST(Lane, D4_ACircuitThatOpensEndsTheRampAlsoWithoutAnAttempt) {
  Scene scene({.may_send = false});
  scene.configure({});
  ASSERT_TRUE(scene.lane.ramp().is_active(scene.now));

  for (int i = 0; i < 10; ++i) scene.lane.exhausted(scene.now, scene.random);

  EXPECT_EQ(scene.lane.breaker().state(), State::Open);
  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));
}

TEST(Lane, ARampThatFinishedBeforeTheCircuitOpensDoesNotShortenTheNextOpening) {
  Scene scene({.in_flight_max = 1});
  scene.open_circuit();
  scene.start_probe();
  scene.end(answered(404));
  for (int i = 0; i < 9; ++i) scene.lane.exhausted(scene.now, scene.random);
  ASSERT_TRUE(scene.start());
  scene.end(answered(404));
  scene.now += seconds(4);
  ASSERT_TRUE(scene.start());
  scene.now += seconds(2);
  AttemptReport last = answered(500);
  last.is_exhausted = true;

  scene.end(last);  // The ramp's step is over, and this opens the circuit: its first time again.

  ASSERT_EQ(scene.lane.breaker().state(), State::Open);
  EXPECT_LE(*scene.lane.next_at(scene.now), scene.now + milliseconds(18'750));
  EXPECT_EQ(scene.lane.breaker().first_opened(), scene.now);
}

TEST(Lane, WithoutGuardsNoAnswerHoldsItBack) {
  Scene scene({.in_flight_max = 30, .is_guarded = false});

  scene.attempt_times(200, answered(503));
  scene.attempt_times(200, timed_out());
  scene.attempt_times(200, permanent());
  for (int i = 0; i < 20; ++i) scene.lane.exhausted(scene.now, scene.random);

  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
  EXPECT_EQ(scene.lane.limit().limit(), 30);
  EXPECT_FALSE(scene.lane.take_pause_wish());
  EXPECT_EQ(scene.explain(), "");
}

TEST(Lane, WithoutGuardsTheFixedLimitsAndRetryAfterStillHold) {
  Scene scene({.in_flight_max = 30, .is_guarded = false});

  for (int i = 0; i < 30; ++i) EXPECT_TRUE(scene.start());
  EXPECT_FALSE(scene.start());
  scene.end(asking_to_wait(503, kStart + seconds(30)));

  EXPECT_FALSE(scene.start());
  EXPECT_EQ(scene.lane.next_at(scene.now), kStart + seconds(30));
}

TEST(Lane, WithoutGuardsResumingStartsNoRamp) {
  Scene scene({.is_guarded = false});

  scene.configure({.may_send = false, .is_guarded = false});
  scene.configure({.is_guarded = false});

  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(scene.start());
}

TEST(LaneDeathTest, GuardsAreNotSwitchedOffLater) {
  Scene scene;

  EXPECT_DEATH(scene.configure({.is_guarded = false}), "is_guarded");
}

TEST(Lane, C10_OverAHundredPermanentFailuresInARowWishForAPauseOnce) {
  Scene scene;

  scene.attempt_times(100, permanent());
  EXPECT_FALSE(scene.lane.take_pause_wish());
  scene.attempt(permanent());

  EXPECT_TRUE(scene.lane.take_pause_wish());
  EXPECT_FALSE(scene.lane.take_pause_wish());
  scene.attempt_times(100, permanent());
  EXPECT_FALSE(scene.lane.take_pause_wish());
}

TEST(Lane, C10_ASuccessEndsTheStreakOfPermanentFailures) {
  Scene scene;
  scene.attempt_times(100, permanent());

  scene.attempt(success());
  scene.attempt_times(100, permanent());

  EXPECT_FALSE(scene.lane.take_pause_wish());
}

TEST(Lane, ExplainsNothingWhenNothingHasToWait) { EXPECT_EQ(Scene().explain(), ""); }

TEST(Lane, ExplainsWhichGuardItIsThatHoldsADeliveryBack) {
  Scene paused({.may_send = false});
  EXPECT_EQ(paused.explain(), "endpoint paused");

  Scene held;
  held.attempt(asking_to_wait(429, kStart + seconds(43)));
  EXPECT_EQ(held.explain(), "receiver asked us to wait; 43s left");

  Scene full({.in_flight_max = 1});
  ASSERT_TRUE(full.start());
  EXPECT_EQ(full.explain(), "1 of 1 request is in flight");

  Scene throttled({.throttle_rate = 5});
  throttled.attempt(success());
  EXPECT_EQ(throttled.explain(), "rate limit of 5/s; next slot in 200ms");

  Scene ramping;
  ramping.recover();
  ramping.attempt(success());
  EXPECT_EQ(ramping.explain(), "ramping up after recovery: 2/s and 1 in flight");
}

TEST(Lane, ExplainsAnOpenCircuitUntilItIsClosed) {
  Scene scene;
  scene.open_circuit();

  scene.now = *scene.lane.next_at(scene.now) - seconds(12);
  EXPECT_EQ(scene.explain(), "circuit open after 20 failures in a row; next probe in 12s");
  scene.now += seconds(12);
  EXPECT_EQ(scene.explain(), "circuit open after 20 failures in a row; next probe is due");
  ASSERT_TRUE(scene.start());
  EXPECT_EQ(scene.explain(), "circuit half-open after 20 failures in a row; a probe is out");
}

TEST(Lane, ExplainsOfCircuitAndHoldTheOneThatLastsLonger) {
  Scene scene;
  scene.attempt_times(19, answered(503));

  scene.attempt(asking_to_wait(503, kStart + hours(1)));

  EXPECT_EQ(scene.explain(), "receiver asked us to wait; 1h left");

  Scene other;
  other.attempt_times(19, answered(503));
  other.attempt(asking_to_wait(503, kStart + seconds(1)));
  EXPECT_EQ(other.explain().substr(0, 39), "circuit open after 20 failures in a row");
}

// A lane under random orders, with what a bystander can say about it.
class World {
 public:
  World() : settings_(draw_settings()), scene_(settings_) {}

  void step() {
    scene_.now += milliseconds(*rc::gen::inRange(0, *rc::gen::element(2, 500, 8'000, 40'000)));
    const int act = *rc::gen::inRange(0, 100);
    if (act < 50) {
      start();
    } else if (act < 92) {
      if (!scene_.out.empty()) scene_.end(draw_report());
    } else if (act < 95) {
      scene_.lane.exhausted(scene_.now, scene_.random);
    } else {
      settings_ = draw_settings();
      scene_.configure(settings_);
    }
    check();
  }

 private:
  static LaneSettings draw_settings() {
    LaneSettings settings;
    settings.in_flight_max = *rc::gen::inRange(1, 13);
    if (*rc::gen::inRange(0, 3) == 0) settings.throttle_rate = *rc::gen::element(1, 3, 7, 150);
    settings.may_send = *rc::gen::inRange(0, 4) > 0;
    return settings;
  }

  AttemptReport draw_report() {
    const int kind = *rc::gen::inRange(0, 10);
    const MonoTime until = scene_.now + milliseconds(*rc::gen::inRange(1, 30'000));
    if (kind < 3) return success();
    if (kind < 6) return answered(*rc::gen::element(500, 408, 504));
    if (kind < 7) return timed_out();
    if (kind < 8) return asking_to_wait(*rc::gen::element(429, 503), until);
    return kind < 9 ? our_fault() : permanent();
  }

  void start() {
    const bool was_closed = scene_.lane.breaker().state() == State::Closed;
    if (!scene_.start()) return;
    RC_ASSERT(settings_.may_send);
    RC_ASSERT(!scene_.lane.hold().until(scene_.now));
    RC_ASSERT(scene_.lane.in_flight() <= settings_.in_flight_max);
    if (!was_closed) RC_ASSERT(!Lane(scene_.lane).try_start(scene_.now + hours(24)));
  }

  // Whether it would start at that moment, if nothing happened before.
  bool would_start(MonoTime at) const { return Lane(scene_.lane).try_start(at).has_value(); }

  void check() const {
    const Lane& lane = scene_.lane;
    const MonoTime now = scene_.now;
    const auto next = lane.next_at(now);
    if (!next) {
      RC_ASSERT(!would_start(now) && !would_start(now + hours(24)));
      return;
    }
    RC_ASSERT(*next >= now);
    RC_ASSERT(would_start(now) == (*next == now));
    // Of an open circuit one may start, as its probe; the others have to wait all the same.
    const bool is_closed = lane.breaker().state() == State::Closed;
    RC_ASSERT(lane.explain(now).empty() == (*next == now && is_closed));
    if (*next > now) RC_ASSERT(!would_start(*next - microseconds(1)));
    if (!would_start(*next)) check_ramp_refuses(*next);
  }

  // Only a ramp may send us on to a later moment: at the end of a step it may have grown or not.
  void check_ramp_refuses(MonoTime at) const {
    Lane lane = scene_.lane;
    RC_ASSERT(lane.ramp().is_active(at));
    for (int i = 0; i < 3; ++i) {
      if (lane.try_start(at)) return;
      RC_ASSERT(*lane.next_at(at) > at);
      at = *lane.next_at(at);
    }
    RC_ASSERT(lane.in_flight() > 0);
  }

  LaneSettings settings_;
  Scene scene_;
};

RC_GTEST_PROP(LaneProperty, NextAtIsTheFirstMomentAtWhichAnAttemptMayStart, ()) {
  World world;
  const int steps = *rc::gen::inRange(0, 300);

  for (int i = 0; i < steps; ++i) world.step();
}

}  // namespace
}  // namespace petrel::lane
