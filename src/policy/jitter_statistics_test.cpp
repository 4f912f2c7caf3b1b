// The spread of each jitter against theory, with fixed seeds: the figures are the same on every run
// and machine. The allowances are several standard errors wide and named where they are used.

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "policy/backoff.h"
#include "policy/decision.h"
#include "policy/presets.h"

namespace petrel::policy {
namespace {

constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0;
  double deviation = 0;
};

// In units of the nominal delay.
Moments measure(const Backoff& backoff) {
  Random random(11);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto delay = static_cast<double>(backoff.draw(1, 1, {}, random).count());
    const double share = delay / static_cast<double>(backoff.delay_base.count());
    sum += share;
    squares += share * share;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

Backoff minute(Jitter jitter) {
  Backoff backoff;
  backoff.strategy = Strategy::Fixed;
  backoff.delay_base = std::chrono::minutes(1);
  backoff.jitter = jitter;
  backoff.jitter_percent = jitter == Jitter::Percent ? 20 : 0;
  return backoff;
}

// A uniform spread over `low` … `high` times the nominal delay.
void expect_uniform(Jitter jitter, double low, double high) {
  const Moments moments = measure(minute(jitter));
  const double deviation = (high - low) / std::sqrt(12.0);
  const double allowance = 5 * deviation / std::sqrt(double{kDraws});

  EXPECT_NEAR(moments.mean, (low + high) / 2, allowance);
  EXPECT_NEAR(moments.deviation, deviation, allowance);
}

TEST(JitterStatistics, A2_FullIsUniformFromZero) { expect_uniform(Jitter::Full, 0, 1); }

TEST(JitterStatistics, C3_EqualIsUniformOverTheUpperHalf) { expect_uniform(Jitter::Equal, 0.5, 1); }

TEST(JitterStatistics, A2_PercentIsUniformAroundTheDelay) {
  expect_uniform(Jitter::Percent, 0.8, 1.2);
}

TEST(JitterStatistics, E2_DecorrelatedIsUniformFromTheBaseToThreeTimesTheLast) {
  expect_uniform(Jitter::Decorrelated, 1, 3);
}

TEST(JitterStatistics, NoneDoesNotSpread) {
  const Moments moments = measure(minute(Jitter::None));
  EXPECT_EQ(moments.mean, 1);
  EXPECT_EQ(moments.deviation, 0);
}

TEST(JitterStatistics, D1_TenThousandFailuresUnderStormSafeDoNotComeBackTogether) {
  constexpr int kFailures = 10'000;
  const RetryPolicy policy = *find_preset("storm-safe");
  const WallTime now = wall_from_unix_seconds(1'800'000'000);
  const AttemptEnd end{Outcome::answered(503), std::nullopt, now, now};
  Random random(12);
  std::map<std::int64_t, int> per_second;
  for (int i = 0; i < kFailures; ++i) {
    const Decision decision = decide(policy, {}, end, random);
    ++per_second[unix_seconds(std::get<TryAgain>(decision.fate).at)];
  }

  int busiest = 0;
  for (const auto& [second, count] : per_second) busiest = std::max(busiest, count);
  EXPECT_LE(busiest, kFailures * 5 / 100);
  EXPECT_EQ(per_second.size(), 30U);
}

}  // namespace
}  // namespace petrel::policy
