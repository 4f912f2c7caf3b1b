#include "policy/backoff.h"

#include <gtest/gtest.h>

namespace petrel::policy {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Backoff plain(Strategy strategy) {
  Backoff backoff;
  backoff.strategy = strategy;
  backoff.delay_base = seconds(10);
  backoff.delay_max = minutes(2);
  backoff.jitter = Jitter::None;
  return backoff;
}

std::vector<Duration> first_five(const Backoff& backoff) {
  std::vector<Duration> delays;
  for (int failure = 1; failure <= 5; ++failure) delays.push_back(backoff.nominal(failure));
  return delays;
}

TEST(Backoff, E1_FixedStaysTheSame) {
  EXPECT_EQ(first_five(plain(Strategy::Fixed)), std::vector<Duration>(5, seconds(10)));
}

TEST(Backoff, E1_LinearGrowsByTheBase) {
  const std::vector<Duration> expected = {seconds(10), seconds(20), seconds(30), seconds(40),
                                          seconds(50)};
  EXPECT_EQ(first_five(plain(Strategy::Linear)), expected);
}

TEST(Backoff, E1_ExponentialMultipliesUpToTheCap) {
  const std::vector<Duration> expected = {seconds(10), seconds(20), seconds(40), seconds(80),
                                          seconds(120)};
  EXPECT_EQ(first_five(plain(Strategy::Exponential)), expected);
}

TEST(Backoff, E1_ScheduleRepeatsItsLastEntry) {
  Backoff backoff = plain(Strategy::Schedule);
  backoff.schedule = {seconds(5), minutes(1)};
  const std::vector<Duration> expected = {seconds(5), minutes(1), minutes(1), minutes(1),
                                          minutes(1)};
  EXPECT_EQ(first_five(backoff), expected);
}

TEST(Backoff, ExponentialDoesNotOverflowAfterAThousandFailures) {
  Backoff backoff = plain(Strategy::Exponential);
  backoff.multiplier = 10;
  EXPECT_EQ(backoff.nominal(1000), minutes(2));
  backoff.delay_base = Duration::zero();
  EXPECT_EQ(backoff.nominal(1000), Duration::zero());
}

TEST(Backoff, ADelayOfZeroGetsNoJitter) {
  Random random(1);
  for (const Jitter jitter :
       {Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Percent}) {
    Backoff backoff = plain(Strategy::Fixed);
    backoff.delay_base = Duration::zero();
    backoff.jitter = jitter;
    backoff.jitter_percent = 50;
    EXPECT_EQ(backoff.draw(1, 1, {}, random), Duration::zero());
  }
}

TEST(Backoff, StretchComesBeforeTheCap) {
  EXPECT_EQ(plain(Strategy::Fixed).nominal(1, 2), seconds(20));
  EXPECT_EQ(plain(Strategy::Linear).nominal(3, 2), seconds(60));
  EXPECT_EQ(plain(Strategy::Exponential).nominal(4, 2), minutes(2));
}

}  // namespace
}  // namespace petrel::policy
