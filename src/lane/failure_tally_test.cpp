#include "lane/failure_tally.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(hours(100));

void fail(FailureTally& tally, int times, MonoTime now) {
  for (int i = 0; i < times; ++i) tally.count_failure(now);
}

void exhaust(FailureTally& tally, int times, MonoTime now) {
  for (int i = 0; i < times; ++i) tally.count_exhausted(now);
}

TEST(FailureTally, B6_TwentyFailuresInARowAreEnough) {
  FailureTally tally({});

  fail(tally, 19, kStart);
  EXPECT_EQ(tally.reason_to_open(kStart), "");
  fail(tally, 1, kStart);

  EXPECT_EQ(tally.reason_to_open(kStart), "20 failures in a row");
}

TEST(FailureTally, AStreakIsNotEnoughWithinASecondOfASuccess) {
  FailureTally tally({});
  tally.count_success(kStart);

  fail(tally, 39, kStart + milliseconds(1));

  EXPECT_EQ(tally.reason_to_open(kStart + seconds(1) - microseconds(1)),
            "39 of 40 attempts failed within 1m");
  EXPECT_EQ(tally.reason_to_open(kStart + seconds(1)), "39 failures in a row");
}

TEST(FailureTally, GraceHidesAStreakThatTheWindowDoesNotShow) {
  FailureTally tally({});
  tally.count_success(kStart);

  fail(tally, 25, kStart);

  EXPECT_EQ(tally.reason_to_open(kStart + seconds(1) - microseconds(1)), "");
  EXPECT_EQ(tally.reason_to_open(kStart + seconds(1)), "25 failures in a row");
}

TEST(FailureTally, ASuccessEndsAStreak) {
  FailureTally tally({});

  fail(tally, 19, kStart);
  tally.count_success(kStart);
  fail(tally, 19, kStart + seconds(10));

  EXPECT_EQ(tally.reason_to_open(kStart + seconds(10)), "");
}

TEST(FailureTally, AReachableReceiverEndsAStreakButGrantsNoGrace) {
  FailureTally tally({});

  fail(tally, 19, kStart);
  tally.count_reachable(kStart);
  fail(tally, 19, kStart);
  EXPECT_EQ(tally.reason_to_open(kStart), "");
  fail(tally, 1, kStart);

  EXPECT_EQ(tally.reason_to_open(kStart), "20 failures in a row");
}

// Failures and answers in turn, so that there is no streak.
void alternate(FailureTally& tally, int times, MonoTime now) {
  for (int i = 0; i < times; ++i) {
    tally.count_success(now);
    tally.count_failure(now);
  }
}

TEST(FailureTally, B6_HalfOfFortyAttemptsFailingIsEnough) {
  FailureTally tally({});

  alternate(tally, 19, kStart);
  tally.count_success(kStart);
  EXPECT_EQ(tally.reason_to_open(kStart), "");
  tally.count_failure(kStart);

  EXPECT_EQ(tally.reason_to_open(kStart), "20 of 40 attempts failed within 1m");
}

TEST(FailureTally, LessThanHalfFailingIsNotEnough) {
  FailureTally tally({});

  tally.count_success(kStart);
  tally.count_reachable(kStart);
  alternate(tally, 1'000, kStart);

  EXPECT_EQ(tally.reason_to_open(kStart), "");
}

TEST(FailureTally, AttemptsThatLeftTheWindowDoNotCount) {
  FailureTally tally({});
  tally.count_failure(kStart);

  alternate(tally, 19, kStart + seconds(59));
  tally.count_failure(kStart + seconds(59));

  EXPECT_EQ(tally.reason_to_open(kStart + seconds(59)), "21 of 40 attempts failed within 1m");
  EXPECT_EQ(tally.reason_to_open(kStart + seconds(60)), "");
}

TEST(FailureTally, B6_TenExhaustedDeliveriesInADayAreEnough) {
  FailureTally tally({});

  exhaust(tally, 9, kStart);
  EXPECT_EQ(tally.reason_to_open(kStart + hours(1)), "");
  exhaust(tally, 1, kStart + hours(24) - microseconds(1));

  EXPECT_EQ(tally.reason_to_open(kStart + hours(24) - microseconds(1)),
            "10 exhausted deliveries within 1d and no success");
  EXPECT_EQ(tally.reason_to_open(kStart + hours(24)), "");
}

TEST(FailureTally, ASuccessRedeemsExhaustedDeliveriesAndAReachableReceiverDoesNot) {
  FailureTally redeemed({});
  FailureTally reachable({});

  exhaust(redeemed, 9, kStart);
  redeemed.count_success(kStart + minutes(1));
  exhaust(redeemed, 9, kStart + minutes(2));
  exhaust(reachable, 9, kStart);
  reachable.count_reachable(kStart + minutes(1));
  exhaust(reachable, 1, kStart + minutes(2));

  EXPECT_EQ(redeemed.reason_to_open(kStart + minutes(2)), "");
  EXPECT_NE(reachable.reason_to_open(kStart + minutes(2)), "");
}

TEST(FailureTally, ExhaustedDeliveriesAreNotEnoughWithinADayOfASuccess) {
  FailureTally tally({});
  for (int i = 0; i < 30; ++i) tally.count_success(kStart);

  exhaust(tally, 10, kStart + seconds(1));
  EXPECT_EQ(tally.reason_to_open(kStart + seconds(1)), "");
  exhaust(tally, 10, kStart + hours(24) - microseconds(1));
  EXPECT_EQ(tally.reason_to_open(kStart + hours(24) - microseconds(1)), "");

  EXPECT_EQ(tally.reason_to_open(kStart + hours(24)),
            "10 exhausted deliveries within 1d and no success");
}

TEST(FailureTally, TheLastSuccessIsKnownAfterStartingOverAndAfterARestart) {
  FailureTally tally({});
  tally.count_success(kStart);
  tally.clear();
  FailureTally restored({});
  restored.restore(tally.snapshot(kStart + hours(1)), MonoTime());

  exhaust(tally, 10, kStart + hours(23));
  exhaust(restored, 10, MonoTime(hours(22)));

  EXPECT_EQ(tally.reason_to_open(kStart + hours(23)), "");
  EXPECT_EQ(restored.reason_to_open(MonoTime(hours(22))), "");
  EXPECT_NE(restored.reason_to_open(MonoTime(hours(23))), "");
}

TEST(FailureTally, KeepsNoMoreExhaustedDeliveriesThanItTakesToOpen) {
  FailureTally tally({});
  tally.count_success(kStart);

  exhaust(tally, 1'000, kStart + hours(1));

  EXPECT_EQ(tally.snapshot(kStart + hours(1)).exhausted_ago.size(), 10U);
}

TEST(FailureTally, RemembersOnlyTheExhaustedDeliveriesOfItsWindow) {
  FailureTally tally({});

  for (int hour = 0; hour < 100; ++hour) {
    tally.count_exhausted(kStart + hours(hour * 6));
    EXPECT_EQ(tally.reason_to_open(kStart + hours(hour * 6)), "");
  }

  EXPECT_EQ(tally.snapshot(kStart + hours(99 * 6)).exhausted_ago.size(), 4U);
}

TEST(FailureTally, EveryFigureIsASetting) {
  BreakerSettings settings;
  settings.streak_to_open = 3;
  settings.streak_grace = Duration::zero();
  settings.window = seconds(10);
  settings.window_attempts_min = 4;
  settings.window_failed_percent = 25;
  settings.exhausted_to_open = 2;
  settings.exhausted_window = hours(1);
  FailureTally streak(settings);
  FailureTally share(settings);
  FailureTally exhausted(settings);

  streak.count_success(kStart);
  fail(streak, 3, kStart);
  fail(share, 1, kStart);
  for (int i = 0; i < 3; ++i) share.count_success(kStart + seconds(9));
  exhaust(exhausted, 1, kStart);
  exhaust(exhausted, 1, kStart + minutes(59));

  EXPECT_EQ(streak.reason_to_open(kStart), "3 failures in a row");
  EXPECT_EQ(share.reason_to_open(kStart + seconds(9)), "1 of 4 attempts failed within 10s");
  EXPECT_EQ(share.reason_to_open(kStart + seconds(10)), "");
  EXPECT_EQ(exhausted.reason_to_open(kStart + minutes(59)),
            "2 exhausted deliveries within 1h and no success");
}

TEST(FailureTally, ClearStartsAllCountsOver) {
  FailureTally tally({});
  fail(tally, 19, kStart);
  exhaust(tally, 9, kStart);

  tally.clear();
  fail(tally, 19, kStart);
  exhaust(tally, 9, kStart);

  EXPECT_EQ(tally.reason_to_open(kStart), "");
}

TEST(FailureTally, AStreakAndExhaustedDeliveriesSurviveARestart) {
  FailureTally before({});
  fail(before, 19, kStart);
  exhaust(before, 9, kStart);

  FailureTally streak({});
  FailureTally exhausted({});
  streak.restore(before.snapshot(kStart + hours(1)), MonoTime());
  exhausted.restore(before.snapshot(kStart + hours(1)), MonoTime());
  fail(streak, 1, MonoTime());
  exhaust(exhausted, 1, MonoTime(hours(22)));

  EXPECT_EQ(streak.reason_to_open(MonoTime()), "20 failures in a row");
  EXPECT_NE(exhausted.reason_to_open(MonoTime(hours(22))), "");
  EXPECT_EQ(exhausted.reason_to_open(MonoTime(hours(23))), "");
}

}  // namespace
}  // namespace petrel::lane
