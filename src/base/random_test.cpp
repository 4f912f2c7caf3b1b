#include "base/random.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

std::vector<std::uint64_t> first_four(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 4; ++i) numbers.push_back(random.next());
  return numbers;
}

TEST(Random, GivesTheNumbersOfTheReferenceForASeed) {
  EXPECT_EQ(first_four(0),
            (std::vector<std::uint64_t>{11091344671253066420U, 13793997310169335082U,
                                        1900383378846508768U, 7684712102626143532U}));
  EXPECT_EQ(first_four(1),
            (std::vector<std::uint64_t>{12966619160104079557U, 9600361134598540522U,
                                        10590380919521690900U, 7218738570589545383U}));
}

TEST(Random, RepeatsItsFutureInACopy) {
  Random random(7);
  random.next();
  Random copy = random;

  for (int i = 0; i < 100; ++i) ASSERT_EQ(random.next(), copy.next());
}

TEST(Random, DrawsEveryNumberBelowTheBoundAboutEquallyOften) {
  Random random(1);
  std::vector<int> counts(6, 0);

  for (int i = 0; i < 6000; ++i) ++counts.at(random.below(6));

  EXPECT_EQ(counts, (std::vector<int>{960, 1040, 1010, 980, 1000, 1010}));
}

TEST(Random, DrawsNothingButZeroBelowOne) {
  Random random(1);

  for (int i = 0; i < 100; ++i) ASSERT_EQ(random.below(1), 0U);
}

TEST(Random, DrawsAgainWhatWouldFavourLowNumbers) {
  // Half of all numbers lie under the threshold of this bound; drawing stays below it all the same.
  const std::uint64_t bound = (1ULL << 63U) + 1;
  Random random(1);
  Random plain(1);

  std::vector<std::uint64_t> kept;
  while (kept.size() < 3) {
    const std::uint64_t number = plain.next();
    if (number >= (0 - bound) % bound) kept.push_back(number % bound);
  }

  EXPECT_EQ(random.below(bound), kept[0]);
  EXPECT_EQ(random.below(bound), kept[1]);
  EXPECT_EQ(random.below(bound), kept[2]);
}

RC_GTEST_PROP(Random, NeverReachesTheBound, (std::uint64_t seed)) {
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, UINT64_MAX);
  Random random(seed);
  for (int i = 0; i < 20; ++i) RC_ASSERT(random.below(bound) < bound);
}

TEST(Random, DrawsBothEndsBetween) {
  Random random(1);
  std::set<Duration> drawn;

  for (int i = 0; i < 100; ++i) drawn.insert(random.between(microseconds(-1), microseconds(1)));

  EXPECT_EQ(drawn, (std::set<Duration>{microseconds(-1), microseconds(0), microseconds(1)}));
}

TEST(Random, DrawsTheOnlyDurationThereIs) {
  Random random(1);

  EXPECT_EQ(random.between(seconds(5), seconds(5)), seconds(5));
}

TEST(Random, DrawsFromTheWidestSpanOfWaits) {
  Random random(1);

  const Duration drawn = random.between(Duration::zero(), Duration::max());

  EXPECT_EQ(drawn, Duration(3743247123249303749));
}

TEST(Random, DrawsAroundTheMiddleInTheMean) {
  Random random(1);
  Duration sum{};

  for (int i = 0; i < 10'000; ++i) sum += random.between(seconds(0), seconds(60));

  EXPECT_EQ(sum / 10'000, Duration(29'832'973));
}

TEST(Random, DrawsUnitsFromZeroToJustBelowOne) {
  Random random(1);
  double sum = 0;

  for (int i = 0; i < 10'000; ++i) {
    const double unit = random.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }

  EXPECT_EQ(static_cast<int>(sum), 4977);
}

TEST(RandomDeathTest, DrawsNothingBelowZero) {
  Random random(1);

  EXPECT_DEATH(random.below(0), "CHECK failed at .*bound >= 1");
}

TEST(RandomDeathTest, DrawsNothingBetweenEndsTheWrongWayRound) {
  Random random(1);

  EXPECT_DEATH(random.between(seconds(2), seconds(1)), "CHECK failed at .*first <= last");
}

}  // namespace
}  // namespace petrel
