#include "lane/circuit_breaker.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Pass = CircuitBreaker::Pass;
using State = CircuitBreaker::State;
using Verdict = CircuitBreaker::Verdict;

constexpr MonoTime kStart = MonoTime(hours(100));

// The default settings, without jitter so that moments are exact.
BreakerSettings exact_settings() {
  BreakerSettings settings;
  settings.open_jitter_percent = 0;
  return settings;
}

class CircuitBreakerTest : public testing::Test {
 protected:
  void attempt(Verdict verdict, int times = 1) {
    for (int i = 0; i < times; ++i) {
      breaker_.settle(breaker_.admit(now_).value(), verdict, now_, random_);
    }
  }

  // Opens it, and returns the passes of two attempts that are still out.
  std::vector<Pass> open() {
    const std::vector<Pass> out = {breaker_.admit(now_).value(), breaker_.admit(now_).value()};
    attempt(Verdict::Failure, 20);
    return out;
  }

  // The probe, sent as soon as it may be.
  Pass probe() {
    now_ = breaker_.next_probe_at().value();
    return breaker_.admit(now_).value();
  }

  void probe_ends(Verdict verdict) { breaker_.settle(probe(), verdict, now_, random_); }

  Random random_{1};
  MonoTime now_ = kStart;
  CircuitBreaker breaker_{exact_settings(), kStart};
};

TEST_F(CircuitBreakerTest, StartsClosedAndAdmitsAll) {
  EXPECT_EQ(breaker_.state(), State::Closed);
  EXPECT_EQ(breaker_.since(), kStart);
  EXPECT_EQ(breaker_.why(), "");
  EXPECT_EQ(breaker_.next_probe_at(), std::nullopt);
  EXPECT_EQ(breaker_.explain(now_), "");
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(breaker_.admit(now_));
}

TEST_F(CircuitBreakerTest, B6_OpensOnTwentyFailuresInARow) {
  attempt(Verdict::Failure, 19);
  EXPECT_EQ(breaker_.state(), State::Closed);
  now_ += seconds(3);
  attempt(Verdict::Failure);

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.why(), "20 failures in a row");
  EXPECT_EQ(breaker_.since(), kStart + seconds(3));
  EXPECT_EQ(breaker_.next_probe_at(), kStart + seconds(18));
}

TEST_F(CircuitBreakerTest, ChangedSettingsCountFromThenOnAndWhatWasCountedStays) {
  attempt(Verdict::Failure, 4);
  BreakerSettings eager = exact_settings();
  eager.streak_to_open = 5;
  eager.open_min = seconds(2);

  breaker_.configure(eager);
  EXPECT_EQ(breaker_.state(), State::Closed);
  attempt(Verdict::Failure);

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + seconds(2));
}

TEST_F(CircuitBreakerTest, B6_OpensOnAShareOfFailuresInTheWindow) {
  for (int i = 0; i < 19; ++i) {
    attempt(Verdict::Failure);
    attempt(Verdict::Success);
  }
  attempt(Verdict::Reachable);
  EXPECT_EQ(breaker_.state(), State::Closed);
  attempt(Verdict::Failure);

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.why(), "20 of 40 attempts failed within 1m");
}

TEST_F(CircuitBreakerTest, B6_OpensOnTenExhaustedDeliveriesWithoutASuccess) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(breaker_.state(), State::Closed);
    now_ += hours(2);
    breaker_.exhausted(now_, random_);
  }

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.why(), "10 exhausted deliveries within 1d and no success");
}

TEST_F(CircuitBreakerTest, B6_ABlipWithinASecondOfASuccessDoesNotOpenIt) {
  attempt(Verdict::Success);
  now_ += milliseconds(999);
  attempt(Verdict::Failure, 38);
  EXPECT_EQ(breaker_.state(), State::Closed);

  now_ += milliseconds(1);
  attempt(Verdict::Failure);
  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.why(), "39 failures in a row");
}

TEST_F(CircuitBreakerTest, OnlyAFailureOpensItNeverAnAnswer) {
  attempt(Verdict::Failure, 15);
  attempt(Verdict::Success);
  attempt(Verdict::Failure, 15);
  attempt(Verdict::Success, 9);

  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, ThrottledAndOurOwnFaultsCountForNothing) {
  attempt(Verdict::Failure, 19);
  attempt(Verdict::Throttled, 100);
  attempt(Verdict::Nothing, 100);
  EXPECT_EQ(breaker_.state(), State::Closed);
  EXPECT_EQ(breaker_.rate(now_), Rate::per_second(19));

  attempt(Verdict::Failure);
  EXPECT_EQ(breaker_.state(), State::Open);
}

TEST_F(CircuitBreakerTest, B6_AdmitsNothingWhileOpenAndThenOneProbe) {
  open();

  EXPECT_FALSE(breaker_.admit(now_));
  EXPECT_FALSE(breaker_.admit(kStart + seconds(15) - microseconds(1)));
  EXPECT_TRUE(breaker_.admit(kStart + seconds(15)));
  EXPECT_EQ(breaker_.state(), State::HalfOpen);
  EXPECT_EQ(breaker_.next_probe_at(), std::nullopt);
  EXPECT_FALSE(breaker_.admit(kStart + hours(1)));
}

TEST_F(CircuitBreakerTest, B6_E6_ASuccessfulProbeClosesIt) {
  open();

  probe_ends(Verdict::Success);

  EXPECT_EQ(breaker_.state(), State::Closed);
  EXPECT_EQ(breaker_.since(), kStart + seconds(15));
  EXPECT_EQ(breaker_.why(), "");
  EXPECT_TRUE(breaker_.admit(now_));
}

TEST_F(CircuitBreakerTest, AProbeWithAFinalAnswerClosesIt) {
  open();

  probe_ends(Verdict::Reachable);

  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, ClosingStartsAllCountsOver) {
  for (int i = 0; i < 9; ++i) breaker_.exhausted(now_, random_);
  open();
  probe_ends(Verdict::Reachable);

  attempt(Verdict::Failure, 19);
  breaker_.exhausted(now_, random_);

  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, D5_StaysOpenForAnEighthOfTheTimeSinceItFirstOpened) {
  open();

  while (now_ < kStart + hours(3)) {
    const Duration expected = std::clamp<Duration>((now_ - kStart) / 8, seconds(15), minutes(10));
    EXPECT_EQ(*breaker_.next_probe_at() - now_, expected);
    probe_ends(Verdict::Failure);
    EXPECT_EQ(breaker_.state(), State::Open);
    EXPECT_EQ(breaker_.since(), kStart);
    EXPECT_EQ(breaker_.why(), "20 failures in a row");
  }

  EXPECT_EQ(*breaker_.next_probe_at() - now_, minutes(10));
}

TEST_F(CircuitBreakerTest, TheTimeSinceTheFirstOpeningStartsOverWhenARampHasFinished) {
  open();
  probe_ends(Verdict::Success);
  now_ = kStart + minutes(40);
  open();
  EXPECT_EQ(breaker_.next_probe_at(), now_ + minutes(5));

  probe_ends(Verdict::Success);
  breaker_.ramp_finished();
  now_ += minutes(40);
  open();
  EXPECT_EQ(breaker_.next_probe_at(), now_ + seconds(15));
}

TEST_F(CircuitBreakerTest, TheOpenTimeIsDrawnBetweenItselfAndAQuarterMore) {
  Random expected = random_;
  breaker_ = CircuitBreaker(BreakerSettings{}, kStart);

  open();
  EXPECT_EQ(breaker_.next_probe_at(), now_ + expected.between(seconds(15), milliseconds(18'750)));
  probe_ends(Verdict::Failure);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + expected.between(seconds(15), milliseconds(18'750)));
}

TEST_F(CircuitBreakerTest, IgnoresALateOutcomeFromBeforeItOpened) {
  const auto late = open();
  const Pass current = probe();

  breaker_.settle(late[0], Verdict::Success, now_, random_);
  EXPECT_EQ(breaker_.state(), State::HalfOpen);
  breaker_.settle(late[1], Verdict::Failure, now_, random_);
  EXPECT_EQ(breaker_.state(), State::HalfOpen);

  breaker_.settle(current, Verdict::Success, now_, random_);
  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, ALateOutcomeDoesNotCountAfterItClosedEither) {
  std::vector<Pass> late;
  for (int i = 0; i < 30; ++i) late.push_back(breaker_.admit(now_).value());
  open();
  probe_ends(Verdict::Reachable);

  for (const Pass pass : late) breaker_.settle(pass, Verdict::Failure, now_, random_);

  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, AThrottledProbeIsRepeatedAfterItsHold) {
  open();
  const Pass throttled = probe();

  breaker_.settle(throttled, Verdict::Throttled, now_, random_, now_ + minutes(3));

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + minutes(3));
  EXPECT_FALSE(breaker_.admit(now_ + minutes(3) - microseconds(1)));
  probe_ends(Verdict::Failure);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + (now_ - kStart) / 8);
}

TEST_F(CircuitBreakerTest, AThrottledProbeWhoseHoldHasNoLengthIsRepeatedAfterTheOpenTime) {
  open();

  breaker_.settle(probe(), Verdict::Throttled, now_, random_, now_);

  EXPECT_EQ(breaker_.next_probe_at(), now_ + seconds(15));
}

TEST_F(CircuitBreakerTest, AThrottledProbeWithoutAHoldIsRepeatedAfterTheOpenTime) {
  open();

  probe_ends(Verdict::Throttled);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + seconds(15));
  while (now_ < kStart + minutes(16)) probe_ends(Verdict::Throttled);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + (now_ - kStart) / 8);
}

TEST_F(CircuitBreakerTest, AProbeThatEndedByOurOwnFaultIsGivenBack) {
  open();

  probe_ends(Verdict::Nothing);

  EXPECT_EQ(breaker_.state(), State::HalfOpen);
  EXPECT_EQ(breaker_.next_probe_at(), now_);
  probe_ends(Verdict::Failure);
  EXPECT_EQ(breaker_.next_probe_at(), now_ + seconds(15));
}

TEST_F(CircuitBreakerTest, AnOperatorCanAskForTheProbeNow) {
  open();
  now_ += seconds(1);

  breaker_.probe_now(now_);

  EXPECT_EQ(breaker_.state(), State::HalfOpen);
  EXPECT_EQ(breaker_.next_probe_at(), now_);
  EXPECT_TRUE(breaker_.admit(now_));
  breaker_.probe_now(now_);
  EXPECT_FALSE(breaker_.admit(now_));
}

TEST_F(CircuitBreakerTest, AskingForAProbeDoesNothingToAClosedCircuit) {
  breaker_.probe_now(now_);

  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, AnOperatorCanCloseItAndTheProbeThatIsOutDoesNotMatter) {
  open();
  const Pass out = probe();

  breaker_.force_close(now_);
  breaker_.settle(out, Verdict::Failure, now_, random_);

  EXPECT_EQ(breaker_.state(), State::Closed);
  attempt(Verdict::Failure, 19);
  EXPECT_EQ(breaker_.state(), State::Closed);
  breaker_.force_close(now_);
  attempt(Verdict::Failure, 19);
  EXPECT_EQ(breaker_.state(), State::Closed);
}

TEST_F(CircuitBreakerTest, ADeliveryExhaustedWhileItIsNotClosedChangesNothing) {
  open();
  const auto before = breaker_.snapshot(now_);

  for (int i = 0; i < 20; ++i) breaker_.exhausted(now_, random_);

  EXPECT_EQ(breaker_.snapshot(now_), before);
}

TEST_F(CircuitBreakerTest, D4_RemembersTheRateFromBeforeItOpened) {
  for (int i = 0; i < 10; ++i) {
    attempt(Verdict::Success, 30);
    now_ += seconds(1);
  }
  EXPECT_EQ(breaker_.rate(now_), Rate::per_second(30));
  now_ += seconds(22);
  attempt(Verdict::Failure, 20);

  EXPECT_EQ(breaker_.former_rate(), Rate::per_second(10));
  probe_ends(Verdict::Failure);
  probe_ends(Verdict::Success);
  EXPECT_EQ(breaker_.former_rate(), Rate::per_second(10));
}

TEST_F(CircuitBreakerTest, ExplainsTheWait) {
  open();
  EXPECT_EQ(breaker_.explain(now_ + seconds(3)),
            "circuit open after 20 failures in a row; next probe in 12s");
  EXPECT_EQ(breaker_.explain(now_ + seconds(15)),
            "circuit open after 20 failures in a row; next probe is due");

  probe();
  EXPECT_EQ(breaker_.explain(now_), "circuit half-open after 20 failures in a row; a probe is out");
}

TEST_F(CircuitBreakerTest, ARestoredOpenCircuitStaysOpenForTheTimeThatWasLeft) {
  open();
  probe_ends(Verdict::Failure);
  CircuitBreaker restored(exact_settings(), MonoTime());

  restored.restore(breaker_.snapshot(now_ + seconds(10)), MonoTime(minutes(1)));

  EXPECT_EQ(restored.state(), State::Open);
  EXPECT_EQ(restored.next_probe_at(), MonoTime(seconds(65)));
  EXPECT_EQ(restored.since(), MonoTime(seconds(60 - 25)));
  EXPECT_EQ(restored.why(), "20 failures in a row");
  EXPECT_EQ(restored.former_rate(), breaker_.former_rate());
}

TEST_F(CircuitBreakerTest, ARestoredCircuitKnowsWhenItFirstOpened) {
  open();
  now_ = kStart + minutes(16);
  CircuitBreaker restored(exact_settings(), MonoTime());

  restored.restore(breaker_.snapshot(now_), MonoTime(hours(1)));
  const auto pass = restored.admit(MonoTime(hours(1)));
  restored.settle(pass.value(), Verdict::Failure, MonoTime(hours(1)), random_);

  EXPECT_EQ(restored.next_probe_at(), MonoTime(hours(1) + minutes(2)));
}

TEST_F(CircuitBreakerTest, ASuccessBeforeTheCircuitOpenedStillKeepsExhaustedDeliveriesFromOpening) {
  attempt(Verdict::Success);
  now_ += seconds(1);
  open();
  probe_ends(Verdict::Reachable);
  CircuitBreaker restored(exact_settings(), MonoTime());
  restored.restore(breaker_.snapshot(now_), MonoTime());

  for (int i = 0; i < 10; ++i) restored.exhausted(MonoTime(hours(1)), random_);
  EXPECT_EQ(restored.state(), State::Closed);
  restored.exhausted(MonoTime(hours(24)), random_);

  EXPECT_EQ(restored.state(), State::Open);
}

TEST_F(CircuitBreakerTest, ARestoredHalfOpenCircuitIsOpenWithNoTimeLeft) {
  open();
  const Pass lost = probe();

  breaker_.restore(breaker_.snapshot(now_), now_);

  EXPECT_EQ(breaker_.state(), State::Open);
  EXPECT_EQ(breaker_.next_probe_at(), now_);
  breaker_.settle(lost, Verdict::Success, now_, random_);
  EXPECT_EQ(breaker_.state(), State::Open);
}

TEST_F(CircuitBreakerTest, ARestoredClosedCircuitKeepsItsStreak) {
  attempt(Verdict::Failure, 19);
  CircuitBreaker restored(exact_settings(), MonoTime());

  restored.restore(breaker_.snapshot(now_), MonoTime());
  restored.settle(restored.admit(MonoTime()).value(), Verdict::Failure, MonoTime(), random_);

  EXPECT_EQ(restored.state(), State::Open);
}

TEST_F(CircuitBreakerTest, RestoringASnapshotGivesTheSameSnapshot) {
  breaker_.exhausted(now_, random_);
  attempt(Verdict::Failure, 7);
  CircuitBreaker restored(exact_settings(), MonoTime());
  const auto snapshot = breaker_.snapshot(now_ + seconds(5));

  restored.restore(snapshot, MonoTime(hours(7)));

  EXPECT_EQ(restored.snapshot(MonoTime(hours(7))), snapshot);
}

}  // namespace
}  // namespace petrel::lane
