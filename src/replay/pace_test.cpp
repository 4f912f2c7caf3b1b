#include "replay/pace.h"

#include <gtest/gtest.h>

namespace petrel::replay {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(std::chrono::hours(1));

model::Pacing constant(int rate) {
  return {.rate_per_minute = rate, .rate_per_minute_max = rate, .has_ramp = false};
}

// Releases whatever may go, each time that it is time to, and answers all of it the same way.
std::size_t run(Pace& pace, MonoTime& now, Duration length, bool is_good = true) {
  std::size_t released = 0;
  for (const MonoTime end = now + length; pace.wake_at() < end;) {
    now = std::max(now, pace.wake_at());
    const std::size_t count = pace.allowance(now);
    EXPECT_GT(count, 0U);
    pace.released(count, now);
    for (std::size_t i = 0; i < count; ++i) pace.answered(is_good, now);
    released += count;
  }
  return released;
}

TEST(Pace, TheFirstGoesAtOnceAndTheNextAfterItsInterval) {
  Pace pace({.rate_per_minute = 60}, 0, kStart);

  EXPECT_EQ(pace.allowance(kStart - Duration(1)), 0U);
  EXPECT_EQ(pace.allowance(kStart), 1U);
  pace.released(1, kStart);
  EXPECT_EQ(pace.allowance(kStart + seconds(1) - Duration(1)), 0U);
  EXPECT_EQ(pace.wake_at(), kStart + seconds(1));
  EXPECT_EQ(pace.allowance(kStart + seconds(1)), 1U);
}

TEST(Pace, AConstantRateIsKeptToTheLast) {
  for (const int rate : {1, 7, 100, 6000, 100'000}) {
    SCOPED_TRACE(rate);
    Pace pace(constant(rate), 0, kStart);
    MonoTime now = kStart;

    const std::size_t released = run(pace, now, minutes(10));

    EXPECT_LE(released, static_cast<std::size_t>(rate) * 10 + 1);
    EXPECT_GE(released + static_cast<std::size_t>(rate) / 300 + 1,
              static_cast<std::size_t>(rate) * 10);
  }
}

TEST(Pace, TheFirstMinuteBeginsWithTheFirstOne) {
  Pace pace({.rate_per_minute = 60}, 0, kStart);
  // Counting what there is took its time.
  const MonoTime first = kStart + seconds(50);
  pace.released(1, first);
  pace.answered(/*is_good=*/true, first);

  pace.released(1, first + seconds(59));
  EXPECT_EQ(pace.rate_per_minute(), 60);
  pace.released(1, first + seconds(60));
  EXPECT_EQ(pace.rate_per_minute(), 120);
}

TEST(Pace, AHighRateGoesInHandfuls) {
  Pace pace(constant(6000), 0, kStart);
  pace.released(1, kStart);

  EXPECT_EQ(pace.wake_at(), kStart + milliseconds(100));
  EXPECT_EQ(pace.allowance(pace.wake_at()), 10U);
}

TEST(Pace, AfterAHoldUpItCatchesUpWithASecondsWorthAtMost) {
  Pace pace(constant(600), 0, kStart);
  pace.released(1, kStart);
  const MonoTime late = kStart + minutes(30);

  EXPECT_EQ(pace.allowance(late), 11U);
  pace.released(11, late);
  EXPECT_EQ(pace.allowance(late), 0U);
  EXPECT_EQ(pace.next_at(), late + milliseconds(100));
}

TEST(Pace, D9_ItDoublesEachMinuteWhileTheAnswersAreGoodUpToItsCeiling) {
  Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 500}, 0, kStart);
  MonoTime now = kStart;
  std::vector<int> rates;

  for (int i = 0; i < 4; ++i) {
    run(pace, now, minutes(1) + seconds(1));
    rates.push_back(pace.rate_per_minute());
  }

  EXPECT_EQ(rates, (std::vector{200, 400, 500, 500}));
}

TEST(Pace, D9_ItIsHalvedWhenOneInTenIsBadAndNeverStops) {
  Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 1000}, 0, kStart);
  MonoTime now = kStart;

  run(pace, now, seconds(8), /*is_good=*/false);
  EXPECT_EQ(pace.rate_per_minute(), 50) << "ten answers are plain enough";
  run(pace, now, std::chrono::hours(2), /*is_good=*/false);
  EXPECT_EQ(pace.rate_per_minute(), 1);
}

TEST(Pace, WhatWasPutBackAtTheOldRateDoesNotHalveItAgain) {
  Pace pace({.rate_per_minute = 1000, .rate_per_minute_max = 1000}, 0, kStart);
  pace.released(250, kStart);

  for (int i = 0; i < 250; ++i) pace.answered(/*is_good=*/false, kStart + seconds(15));

  EXPECT_EQ(pace.rate_per_minute(), 500);
}

TEST(Pace, BetweenGoodAndBadItStays) {
  Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 1000}, 0, kStart);
  for (int i = 0; i < 100; ++i) pace.answered(i % 13 != 12, kStart);

  pace.answered(true, kStart + minutes(1));

  EXPECT_EQ(pace.rate_per_minute(), 100);
}

TEST(Pace, WithoutAnswersItStays) {
  Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 1000}, 0, kStart);

  pace.released(1, kStart + minutes(2));

  EXPECT_EQ(pace.rate_per_minute(), 100);
}

TEST(Pace, WhileNothingCanBePutBackTheMinuteDoesNotRun) {
  Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 1000}, 0, kStart);
  pace.answered(true, kStart + seconds(50));
  pace.stands_still(kStart + minutes(5));

  pace.answered(true, kStart + minutes(5) + seconds(59));
  EXPECT_EQ(pace.rate_per_minute(), 100);
  pace.answered(true, kStart + minutes(6));
  EXPECT_EQ(pace.rate_per_minute(), 200);
}

TEST(Pace, GoesOnWhereItLeftOff) {
  const Pace pace({.rate_per_minute = 100, .rate_per_minute_max = 1000}, 400, kStart);

  EXPECT_EQ(pace.rate_per_minute(), 400);
}

TEST(Pace, AConstantRateDoesNotHeedTheAnswers) {
  Pace pace(constant(100), 0, kStart);
  MonoTime now = kStart;

  run(pace, now, minutes(5), /*is_good=*/false);

  EXPECT_EQ(pace.rate_per_minute(), 100);
}

TEST(Pace, SaysHowLongItWillTake) {
  EXPECT_EQ(time_for(constant(6000), 6000, 5000), seconds(50));
  EXPECT_EQ(time_for({.rate_per_minute = 100, .rate_per_minute_max = 400}, 100, 1100),
            minutes(2) + minutes(2));
  EXPECT_EQ(time_for({.rate_per_minute = 100, .rate_per_minute_max = 400}, 400, 200), seconds(30));
  EXPECT_EQ(time_for(constant(1), 1, 0), seconds(0));
}

}  // namespace
}  // namespace petrel::replay
