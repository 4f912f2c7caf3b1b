#include "lane/shared_rate.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(seconds(1000));

TEST(SharedRate, LanesThatAskTogetherGoOneAfterTheOther) {
  SharedRate rate(5);

  const MonoTime first = rate.reserve(kStart).at;
  EXPECT_LE(first, kStart);
  EXPECT_EQ(rate.reserve(kStart).at, first + milliseconds(200));
  EXPECT_EQ(rate.reserve(kStart).at, first + milliseconds(400));
}

TEST(SharedRate, ALineThatWasEmptyForLongGathersNothing) {
  SharedRate rate(5);
  (void)rate.reserve(kStart).at;

  const MonoTime later = kStart + seconds(60);
  EXPECT_LE(rate.reserve(later).at, later);
  EXPECT_GT(rate.reserve(later).at, later);
}

TEST(SharedRate, ANewRateHoldsAtOnceForThoseThatWaitToo) {
  SharedRate rate(1);
  const MonoTime first = rate.reserve(kStart).at;
  const SharedRate::Place waiting = rate.reserve(kStart);
  (void)rate.reserve(kStart);
  ASSERT_TRUE(rate.is_valid(waiting));

  rate.set_rate(10, kStart);

  EXPECT_FALSE(rate.is_valid(waiting));
  EXPECT_EQ(rate.reserve(kStart).at, first + milliseconds(100));
  EXPECT_EQ(rate.reserve(kStart).at, first + milliseconds(200));
}

TEST(SharedRate, ALowerRateCountsFromTheLastPlaceThatWasUsed) {
  SharedRate rate(10);
  const MonoTime first = rate.reserve(kStart).at;
  for (int i = 0; i < 9; ++i) (void)rate.reserve(kStart);

  rate.set_rate(1, first + milliseconds(250));  // Three have gone, the last at 200 ms.

  EXPECT_EQ(rate.reserve(first + milliseconds(250)).at, first + milliseconds(1'200));
}

TEST(SharedRate, TheSameRateLeavesThePlacesAsTheyAre) {
  SharedRate rate(10);
  const SharedRate::Place place = rate.reserve(kStart);

  rate.set_rate(10, kStart);

  EXPECT_TRUE(rate.is_valid(place));
  EXPECT_EQ(rate.reserve(kStart).at, place.at + milliseconds(100));
}

TEST(SharedRate, AnySecondSeesAtMostTheRateAndOnePercent) {
  SharedRate rate(700);
  std::vector<MonoTime> moments;
  for (int i = 0; i < 3000; ++i) moments.push_back(rate.reserve(kStart).at);

  std::size_t from = 0;
  for (std::size_t to = 0; to < moments.size(); ++to) {
    while (moments[to] - moments[from] >= seconds(1)) ++from;
    EXPECT_LE(to - from + 1, 707U);
  }
  EXPECT_LE(moments.back() - moments.front(), milliseconds(3'000'000) / 700 + milliseconds(1));
}

}  // namespace
}  // namespace petrel::lane
