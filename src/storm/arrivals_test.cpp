#include "storm/arrivals.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

namespace petrel::storm {
namespace {

using std::chrono::seconds;

Scenario thousand_in_a_hundred_seconds() {
  Scenario scenario;
  scenario.messages = 1'000;
  scenario.span = seconds(100);
  return scenario;
}

std::vector<Duration> times_of(const std::vector<Arrival>& arrivals, Party party) {
  std::vector<Duration> times;
  for (const Arrival& arrival : arrivals) {
    if (arrival.party == party) times.push_back(arrival.at);
  }
  return times;
}

TEST(Arrivals, AreAsManyForBothInOrderAndWithinTheSpan) {
  const std::vector<Arrival> arrivals = draw_arrivals(thousand_in_a_hundred_seconds());

  EXPECT_EQ(times_of(arrivals, Party::Stricken).size(), 1'000U);
  EXPECT_EQ(times_of(arrivals, Party::Neighbour).size(), 1'000U);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                             [](const Arrival& a, const Arrival& b) { return a.at < b.at; }));
  EXPECT_GE(arrivals.front().at, Duration::zero());
  EXPECT_LT(arrivals.back().at, seconds(100));
}

TEST(Arrivals, SpreadEvenly) {
  const std::vector<Duration> times =
      times_of(draw_arrivals(thousand_in_a_hundred_seconds()), Party::Stricken);

  for (int i = 0; i < 10; ++i) {
    const auto in_part = std::count_if(times.begin(), times.end(), [&](Duration at) {
      return at >= i * seconds(10) && at < (i + 1) * seconds(10);
    });
    // A hundred are expected; five standard deviations are under fifty.
    EXPECT_GT(in_part, 50);
    EXPECT_LT(in_part, 150);
  }
}

TEST(Arrivals, OfABatchComeTogetherButNotTheNeighbours) {
  Scenario scenario = thousand_in_a_hundred_seconds();
  scenario.batch = 300;

  const std::vector<Arrival> arrivals = draw_arrivals(scenario);

  const std::vector<Duration> stricken = times_of(arrivals, Party::Stricken);
  const std::vector<Duration> neighbour = times_of(arrivals, Party::Neighbour);
  EXPECT_EQ(std::set<Duration>(stricken.begin(), stricken.end()).size(), 4U);
  EXPECT_GT(std::set<Duration>(neighbour.begin(), neighbour.end()).size(), 990U);
}

TEST(Arrivals, AreTheSameForTheSameSeedOnly) {
  Scenario scenario = thousand_in_a_hundred_seconds();
  const std::vector<Arrival> arrivals = draw_arrivals(scenario);

  EXPECT_EQ(draw_arrivals(scenario), arrivals);
  scenario.seed = 2;
  EXPECT_NE(draw_arrivals(scenario), arrivals);
}

TEST(Arrivals, TheirIdsSayWhichTheyAreAndSortByTime) {
  const WallTime noon = wall_from_unix_seconds(1'800'000'000);

  EXPECT_EQ(place_of(message_id(0, noon)), 0U);
  EXPECT_EQ(place_of(message_id(1'234'567, noon)), 1'234'567U);
  EXPECT_LT(message_id(255, noon), message_id(256, noon));
  EXPECT_LT(message_id(9, noon), message_id(1, noon + seconds(1)));
}

}  // namespace
}  // namespace petrel::storm
