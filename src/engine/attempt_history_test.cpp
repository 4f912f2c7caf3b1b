#include "engine/attempt_history.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr MonoTime kStart = MonoTime(hours(100));

TEST(AttemptHistory, KnowsNothingAtFirst) {
  const AttemptHistory::Figures figures = AttemptHistory().figures(kStart);
  EXPECT_EQ(figures.attempts, 0U);
  EXPECT_EQ(figures.retry_ratio, 0);
  EXPECT_EQ(figures.latency_p99, std::nullopt);
}

TEST(AttemptHistory, CountsAnHourAndForgetsWhatIsOlder) {
  AttemptHistory history;
  history.add({.is_retry = true, .is_success = false, .latency = milliseconds(5)}, kStart);
  history.add({.is_success = true, .latency = milliseconds(5)}, kStart + minutes(50));

  EXPECT_EQ(history.figures(kStart + minutes(50)).attempts, 2U);
  EXPECT_EQ(history.figures(kStart + minutes(50)).successes, 1U);
  EXPECT_EQ(history.figures(kStart + minutes(61)).attempts, 1U);
  EXPECT_EQ(history.figures(kStart + hours(9)).attempts, 0U);
}

TEST(AttemptHistory, KnowsTheFailuresOfAnHourByThemselves) {
  AttemptHistory history;
  EXPECT_EQ(history.failures(kStart), 0U);
  history.add({.is_success = false}, kStart);
  history.add({.is_success = true}, kStart);
  history.add({.is_success = false}, kStart + minutes(50));

  EXPECT_EQ(history.failures(kStart + minutes(50)), 2U);
  EXPECT_EQ(history.failures(kStart + minutes(61)), 1U);
  EXPECT_EQ(history.failures(kStart + hours(9)), 0U);
}

TEST(AttemptHistory, TheRetryRatioIsThatOfAQuarterOfAnHour) {
  AttemptHistory history;
  for (int i = 0; i < 10; ++i) history.add({.is_retry = true}, kStart);
  for (int i = 0; i < 4; ++i) history.add({.is_retry = i == 0}, kStart + minutes(20));

  EXPECT_EQ(history.figures(kStart + minutes(20)).retry_ratio, 0.25);
  EXPECT_EQ(history.figures(kStart + minutes(40)).retry_ratio, 0);
}

TEST(AttemptHistory, APercentileIsNeverTooLowAndAtMostAStepTooHigh) {
  AttemptHistory history;
  for (int ms = 1; ms <= 1000; ++ms) history.add({.latency = milliseconds(ms)}, kStart);

  const AttemptHistory::Figures figures = history.figures(kStart);
  const auto expect_about = [](Duration exact, std::optional<Duration> shown) {
    ASSERT_TRUE(shown.has_value());
    EXPECT_GE(*shown, exact);
    EXPECT_LE(static_cast<double>(shown->count()), 1.4143 * static_cast<double>(exact.count()));
  };
  expect_about(milliseconds(500), figures.latency_p50);
  expect_about(milliseconds(950), figures.latency_p95);
  expect_about(milliseconds(990), figures.latency_p99);
}

TEST(AttemptHistory, ALatencyBeyondTheLastStepCountsThere) {
  AttemptHistory history;
  history.add({.latency = hours(5)}, kStart);
  EXPECT_GT(*history.figures(kStart).latency_p50, minutes(5));
}

}  // namespace
}  // namespace petrel::engine
