#include "lane/ramp.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Ending = Ramp::Ending;

constexpr MonoTime kStart = MonoTime(hours(1));

class RampTest : public testing::Test {
 protected:
  // One step with a big backlog, in which `good` and `bad` attempts ended.
  void step_with_backlog(int good, int bad) {
    while (ramp_.try_admit(now_, 0)) {
    }
    settle(good, bad);
    now_ += seconds(5);
  }

  void settle(int good, int bad) {
    for (int i = 0; i < good; ++i) ramp_.settle(Ending::Good, now_);
    for (int i = 0; i < bad; ++i) ramp_.settle(Ending::Bad, now_);
  }

  MonoTime now_ = kStart;
  Ramp ramp_{RampSettings{}, kStart};
};

TEST_F(RampTest, RefusesNothingUntilItIsStarted) {
  EXPECT_FALSE(ramp_.is_active(now_));
  EXPECT_TRUE(ramp_.try_admit(now_, 1'000));
  EXPECT_EQ(ramp_.next_at(now_, 1'000), now_);
  EXPECT_EQ(ramp_.explain(now_, 1'000), "");
  EXPECT_FALSE(ramp_.take_finished(now_));
}

TEST_F(RampTest, D4_StartsWithOneInFlightAndATenthOfTheFormerRate) {
  ramp_.start(Rate::per_second(300), now_);

  EXPECT_TRUE(ramp_.is_active(now_));
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
  EXPECT_EQ(ramp_.in_flight_max(now_), 1);
}

TEST_F(RampTest, StartsWithAtLeastOneASecond) {
  ramp_.start(Rate::per_second(9), now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(1));

  ramp_.start(Rate::per_second(11), now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::of(11, seconds(10)));

  ramp_.start(std::nullopt, now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(1));
}

TEST_F(RampTest, RefusesWhatIsBeyondItsInFlight) {
  ramp_.start(Rate::per_second(300), now_);

  EXPECT_FALSE(ramp_.try_admit(now_, 1));
  EXPECT_EQ(ramp_.next_at(now_, 1), kStart + seconds(5));
  EXPECT_TRUE(ramp_.try_admit(now_, 0));
}

TEST_F(RampTest, RefusesWhatIsBeyondItsRate) {
  ramp_.start(std::nullopt, now_);

  EXPECT_TRUE(ramp_.try_admit(now_, 0));
  EXPECT_EQ(ramp_.next_at(now_, 0), kStart + seconds(1));
  EXPECT_FALSE(ramp_.try_admit(kStart + seconds(1) - microseconds(1), 0));
  EXPECT_TRUE(ramp_.try_admit(kStart + seconds(1), 0));
}

TEST_F(RampTest, ARefusedAttemptTakesNothingFromTheRate) {
  ramp_.start(std::nullopt, now_);

  EXPECT_FALSE(ramp_.try_admit(now_, 1));

  EXPECT_TRUE(ramp_.try_admit(now_, 0));
}

TEST_F(RampTest, AsksToBeAskedAgainAtTheEndOfTheStep) {
  ramp_.start(std::nullopt, now_);

  ASSERT_TRUE(ramp_.try_admit(kStart + milliseconds(4'500), 0));

  EXPECT_EQ(ramp_.next_at(kStart + milliseconds(4'500), 0), kStart + seconds(5));
}

TEST_F(RampTest, D4_DoublesBothWhileUnderATenthFails) {
  ramp_.start(Rate::per_second(300), now_);

  step_with_backlog(10, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
  EXPECT_EQ(ramp_.in_flight_max(now_), 2);
  step_with_backlog(20, 0);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(120));
  EXPECT_EQ(ramp_.in_flight_max(now_), 4);
}

TEST_F(RampTest, AStepLastsFiveSeconds) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(10, 0);

  EXPECT_EQ(ramp_.rate(now_ - microseconds(1)), Rate::per_second(30));
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
}

TEST_F(RampTest, D4_RepeatsTheStepWhenATenthFailed) {
  ramp_.start(Rate::per_second(300), now_);

  step_with_backlog(9, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
  EXPECT_EQ(ramp_.in_flight_max(now_), 1);

  step_with_backlog(10, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
}

TEST_F(RampTest, RepeatsTheStepInWhichNoAttemptEnded) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(0, 0);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));

  now_ += hours(1);
  EXPECT_TRUE(ramp_.is_active(now_));
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
}

TEST_F(RampTest, IsOverAfterAGoodStepInWhichItRefusedNothing) {
  ramp_.start(Rate::per_second(300), now_);
  ASSERT_TRUE(ramp_.try_admit(now_, 0));
  settle(1, 0);

  EXPECT_TRUE(ramp_.is_active(kStart + seconds(5) - microseconds(1)));
  EXPECT_FALSE(ramp_.take_finished(kStart + seconds(5) - microseconds(1)));
  EXPECT_FALSE(ramp_.is_active(kStart + seconds(5)));
  EXPECT_TRUE(ramp_.take_finished(kStart + seconds(5)));
  EXPECT_FALSE(ramp_.take_finished(kStart + seconds(5)));
  EXPECT_TRUE(ramp_.try_admit(kStart + seconds(5), 1'000));
}

TEST_F(RampTest, IsOverAfterAStepInWhichNothingWasDueOrInFlight) {
  ramp_.start(Rate::per_second(300), now_);

  EXPECT_EQ(ramp_.step_ends_at(), kStart + seconds(5));
  ramp_.pass(kStart + seconds(5) - microseconds(1), false);
  EXPECT_TRUE(ramp_.is_active(kStart + seconds(5) - microseconds(1)));
  ramp_.pass(kStart + seconds(5), false);

  EXPECT_FALSE(ramp_.is_active(kStart + seconds(5)));
  EXPECT_TRUE(ramp_.take_finished(kStart + seconds(5)));
  EXPECT_EQ(ramp_.step_ends_at(), std::nullopt);
}

TEST_F(RampTest, RepeatsAStepInWhichSomethingWasDueOrInFlightAndNothingEnded) {
  ramp_.start(Rate::per_second(300), now_);
  ramp_.pass(kStart + seconds(5), true);
  EXPECT_EQ(ramp_.step_ends_at(), kStart + seconds(10));

  // It was asked, and what it let go ended by a fault of ours.
  ASSERT_TRUE(ramp_.try_admit(kStart + seconds(6), 0));
  ramp_.pass(kStart + seconds(10), false);
  EXPECT_EQ(ramp_.step_ends_at(), kStart + seconds(15));

  ramp_.pass(kStart + seconds(15), false);
  EXPECT_TRUE(ramp_.take_finished(kStart + seconds(15)));
}

TEST_F(RampTest, RepeatsAStepThatFailsModeratelyAtMostThreeTimesInARow) {
  ramp_.start(Rate::per_second(300), now_);
  for (int repeat = 0; repeat < 4; ++repeat) {
    EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30)) << repeat;
    step_with_backlog(51, 49);
  }

  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
  step_with_backlog(9, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
}

TEST_F(RampTest, RepeatsAStepInWhichHalfFailsAsOftenAsItTakes) {
  ramp_.start(Rate::per_second(300), now_);
  for (int repeat = 0; repeat < 20; ++repeat) step_with_backlog(1, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));

  // It broke the row: the moderate ones are counted from one again.
  for (int repeat = 0; repeat < 3; ++repeat) step_with_backlog(2, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
  step_with_backlog(2, 1);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
}

TEST_F(RampTest, IsNotOverAfterABadStepAlthoughItRefusedNothing) {
  ramp_.start(Rate::per_second(300), now_);
  ASSERT_TRUE(ramp_.try_admit(now_, 0));
  settle(0, 1);

  EXPECT_TRUE(ramp_.is_active(kStart + seconds(5)));
  EXPECT_EQ(ramp_.rate(kStart + seconds(5)), Rate::per_second(30));
}

TEST_F(RampTest, HoweverLongNobodyAskedItDoublesOnceAndStartsAFullStep) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(10, 0);

  now_ = kStart + minutes(10) + seconds(3);
  step_with_backlog(10, 0);

  EXPECT_EQ(ramp_.rate(now_ - microseconds(1)), Rate::per_second(60));
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(120));
}

TEST_F(RampTest, AnAttemptCountsForTheStepItEndedIn) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(0, 0);

  settle(1, 0);
  ASSERT_FALSE(ramp_.try_admit(now_, 1));

  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
  EXPECT_EQ(ramp_.rate(now_ + seconds(5)), Rate::per_second(60));
}

TEST_F(RampTest, StartingAgainStartsOver) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(10, 0);
  settle(0, 10);

  ramp_.start(Rate::per_second(300), now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(30));
  EXPECT_EQ(ramp_.in_flight_max(now_), 1);

  step_with_backlog(1, 0);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(60));
}

TEST_F(RampTest, StoppingIsNotFinishing) {
  ramp_.start(Rate::per_second(300), now_);
  ASSERT_TRUE(ramp_.try_admit(now_, 0));
  settle(1, 0);

  ramp_.stop();

  EXPECT_FALSE(ramp_.is_active(now_));
  EXPECT_FALSE(ramp_.take_finished(kStart + seconds(5)));
}

TEST_F(RampTest, EveryFigureIsASetting) {
  ramp_ = Ramp({.step = seconds(2),
                .failed_percent_to_repeat = 50,
                .in_flight_first = 3,
                .rate_divisor = 2,
                .rate_first_min = Rate::per_second(4)},
               now_);

  ramp_.start(Rate::per_second(6), now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(4));
  ramp_.start(Rate::per_second(10), now_);
  EXPECT_EQ(ramp_.rate(now_), Rate::per_second(5));
  EXPECT_EQ(ramp_.in_flight_max(now_), 3);

  ASSERT_FALSE(ramp_.try_admit(now_, 3));
  settle(51, 49);
  EXPECT_EQ(ramp_.in_flight_max(now_ + seconds(2)), 6);
}

TEST_F(RampTest, ExplainsTheWait) {
  ramp_.start(Rate::per_second(20), now_);
  EXPECT_EQ(ramp_.explain(now_, 0), "");
  EXPECT_EQ(ramp_.explain(now_, 1), "ramping up after recovery: 2/s and 1 in flight");

  step_with_backlog(10, 0);
  EXPECT_EQ(ramp_.explain(now_, 1), "");
  EXPECT_EQ(ramp_.explain(now_, 2), "ramping up after recovery: 4/s and 2 in flight");
}

TEST_F(RampTest, ARestoredRampRepeatsItsStep) {
  ramp_.start(Rate::per_second(300), now_);
  step_with_backlog(10, 0);
  step_with_backlog(10, 0);
  Ramp restored({}, MonoTime());

  restored.restore(ramp_.snapshot(now_), MonoTime());

  EXPECT_EQ(restored.rate(MonoTime()), Rate::per_second(120));
  EXPECT_EQ(restored.in_flight_max(MonoTime()), 4);
  EXPECT_EQ(restored.rate(MonoTime(seconds(5))), Rate::per_second(120));
  EXPECT_EQ(restored.snapshot(MonoTime()), ramp_.snapshot(now_));
}

TEST_F(RampTest, ARestoredInactiveRampIsInactive) {
  Ramp restored({}, MonoTime());

  restored.restore(ramp_.snapshot(now_), MonoTime());

  EXPECT_FALSE(restored.is_active(MonoTime()));
  EXPECT_FALSE(restored.take_finished(MonoTime(seconds(5))));
}

// Sends an endless backlog to a receiver that answers each request after 10 ms, under the ramp and
// a rate limit, and returns how many requests began in each 5 s until the ramp was over.
std::vector<int> requests_per_step(Ramp& ramp, Rate limit) {
  TokenBucket bucket(limit, kStart);
  std::deque<MonoTime> out;
  std::vector<int> requests;
  for (MonoTime now = kStart; ramp.is_active(now); now += microseconds(100)) {
    while (!out.empty() && out.front() <= now) {
      out.pop_front();
      ramp.settle(Ending::Good, now);
    }
    const auto step = static_cast<std::size_t>((now - kStart) / seconds(5));
    while (ramp.is_active(now) && bucket.next_at(now) <= now &&
           ramp.try_admit(now, static_cast<std::int32_t>(out.size())) && bucket.try_take(now)) {
      out.push_back(now + milliseconds(10));
      requests.resize(step + 1);
      ++requests[step];
    }
  }
  return requests;
}

TEST_F(RampTest, D4_ABigBacklogAtMostDoublesTheLoadUntilAnotherLimitBinds) {
  ramp_.start(Rate::per_second(300), now_);

  EXPECT_EQ(requests_per_step(ramp_, Rate::per_second(500)),
            (std::vector<int>{150, 300, 600, 1'200, 2'400, 2'504, 2'500}));
}

// What was admitted while the limits stood still.
struct Level {
  Rate rate;
  std::int32_t in_flight_max;
  MonoTime since;
  std::int64_t admitted = 0;
};

RC_GTEST_PROP(RampProperty, D4_AtMostDoublesPerStepAndKeepsToItsRate, ()) {
  Ramp ramp({}, kStart);
  ramp.start(Rate::per_second(*rc::gen::inRange(1, 400)), kStart);
  const int bad_percent = *rc::gen::element(0, 2, 10, 50);
  Level level = {ramp.rate(kStart), 1, kStart};
  int in_flight = 0;
  MonoTime now = kStart;
  for (int step = 0; step < 400 && ramp.is_active(now); ++step) {
    const bool is_admitted = ramp.try_admit(now, in_flight);
    RC_ASSERT(!is_admitted || in_flight < ramp.in_flight_max(now));
    in_flight += is_admitted ? 1 : 0;
    level.admitted += is_admitted ? 1 : 0;
    if (!is_admitted) RC_ASSERT(ramp.next_at(now, in_flight) > now);

    const std::int64_t burst =
        std::max(level.rate.period().count() + level.rate.count() - 1, level.rate.count() * 10'000);
    RC_ASSERT(level.admitted * level.rate.period().count() <=
              burst + level.rate.count() * (now - level.since).count());

    now += milliseconds(*rc::gen::inRange(0, *rc::gen::element(20, 500, 7'000)));
    if (in_flight > 0 && *rc::gen::inRange(0, 3) > 0) {
      --in_flight;
      ramp.settle(*rc::gen::inRange(0, 100) < bad_percent ? Ending::Bad : Ending::Good, now);
    }
    if (!ramp.is_active(now)) break;
    if (ramp.rate(now) == level.rate) continue;
    RC_ASSERT(ramp.rate(now) == level.rate.doubled());
    RC_ASSERT(ramp.in_flight_max(now) == level.in_flight_max * 2);
    RC_ASSERT(now - level.since >= seconds(5));
    level = {ramp.rate(now), ramp.in_flight_max(now), now};
  }
}

}  // namespace
}  // namespace petrel::lane
