#include "lane/attempt_window.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

using Totals = AttemptWindow::Totals;

constexpr MonoTime kStart = MonoTime(seconds(1'000));

TEST(AttemptWindow, IsEmptyAtFirst) {
  const AttemptWindow window(seconds(60));

  EXPECT_EQ(window.totals(kStart), (Totals{0, 0}));
  EXPECT_EQ(window.rate(kStart), std::nullopt);
}

TEST(AttemptWindow, CountsAttemptsAndFailures) {
  AttemptWindow window(seconds(60));

  window.count_success(kStart);
  window.count_failure(kStart + milliseconds(10));
  window.count_failure(kStart + seconds(30));

  EXPECT_EQ(window.totals(kStart + seconds(30)), (Totals{3, 2}));
}

TEST(AttemptWindow, AnAttemptLeavesWithTheSecondItEndedIn) {
  AttemptWindow window(seconds(60));
  window.count_failure(kStart);
  window.count_failure(kStart + seconds(1));

  EXPECT_EQ(window.totals(kStart + seconds(60) - microseconds(1)), (Totals{2, 2}));
  EXPECT_EQ(window.totals(kStart + seconds(60)), (Totals{1, 1}));
  EXPECT_EQ(window.totals(kStart + seconds(61)), (Totals{0, 0}));
}

TEST(AttemptWindow, ALongRestEmptiesIt) {
  AttemptWindow window(seconds(60));
  for (int i = 0; i < 60; ++i) window.count_failure(kStart + seconds(i));

  window.count_success(kStart + hours(24 * 365));

  EXPECT_EQ(window.totals(kStart + hours(24 * 365)), (Totals{1, 0}));
}

TEST(AttemptWindow, ClearForgetsAll) {
  AttemptWindow window(seconds(60));
  window.count_failure(kStart);

  window.clear();
  EXPECT_EQ(window.totals(kStart), (Totals{0, 0}));

  window.count_success(kStart);
  EXPECT_EQ(window.totals(kStart), (Totals{1, 0}));
}

TEST(AttemptWindow, TheRateIsOverTheTimeItHasCounted) {
  AttemptWindow window(seconds(60));
  for (int i = 0; i < 40; ++i) window.count_success(kStart);

  EXPECT_EQ(window.rate(kStart), Rate::per_second(40));
  EXPECT_EQ(window.rate(kStart + seconds(8)), Rate::per_second(5));
  EXPECT_EQ(window.rate(kStart + milliseconds(2'500)), Rate::per_second(16));
  EXPECT_EQ(window.rate(kStart + seconds(59)), Rate::of(40, seconds(59)));
  EXPECT_EQ(window.rate(kStart + seconds(60)), std::nullopt);
}

TEST(AttemptWindow, TheRateIsOverItsLengthOnceItHasCountedThatLong) {
  AttemptWindow window(seconds(60));
  window.count_success(kStart);

  for (int i = 0; i < 40; ++i) window.count_success(kStart + seconds(120));

  EXPECT_EQ(window.rate(kStart + seconds(120)), Rate::of(40, seconds(60)));
}

RC_GTEST_PROP(AttemptWindowProperty, AgreesWithAListOfAllAttempts, ()) {
  const auto length = *rc::gen::inRange<std::int64_t>(1, 20);
  AttemptWindow window{seconds(length)};
  struct Attempt {
    std::int64_t second;
    bool failed;
  };
  std::vector<Attempt> all;
  MonoTime now = kStart;
  for (int step = 0; step < 200; ++step) {
    now += milliseconds(*rc::gen::inRange(0, *rc::gen::element(100, 2'000, 30'000)));
    const std::int64_t second = now.time_since_epoch() / seconds(1);
    if (*rc::gen::arbitrary<bool>()) {
      const bool failed = *rc::gen::arbitrary<bool>();
      if (failed) window.count_failure(now);
      if (!failed) window.count_success(now);
      all.push_back({second, failed});
    }

    Totals expected;
    for (const Attempt& attempt : all) {
      if (attempt.second + length <= second) continue;
      ++expected.attempts;
      expected.failures += attempt.failed ? 1 : 0;
    }
    RC_ASSERT(window.totals(now) == expected);
  }
}

}  // namespace
}  // namespace petrel::lane
