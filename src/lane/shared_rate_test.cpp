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

  const MonoTime first = rate.reserve(kStart);
  EXPECT_LE(first, kStart);
  EXPECT_EQ(rate.reserve(kStart), first + milliseconds(200));
  EXPECT_EQ(rate.reserve(kStart), first + milliseconds(400));
}

TEST(SharedRate, ALineThatWasEmptyForLongGathersNothing) {
  SharedRate rate(5);
  (void)rate.reserve(kStart);

  const MonoTime later = kStart + seconds(60);
  EXPECT_LE(rate.reserve(later), later);
  EXPECT_GT(rate.reserve(later), later);
}

TEST(SharedRate, ANewRateHoldsForTheNextPlaces) {
  SharedRate rate(1);
  const MonoTime first = rate.reserve(kStart);
  rate.set_rate(10);

  EXPECT_EQ(rate.reserve(kStart), first + seconds(1));
  EXPECT_EQ(rate.reserve(kStart), first + seconds(1) + milliseconds(100));
}

TEST(SharedRate, AnySecondSeesAtMostTheRateAndOnePercent) {
  SharedRate rate(700);
  std::vector<MonoTime> moments;
  for (int i = 0; i < 3000; ++i) moments.push_back(rate.reserve(kStart));

  std::size_t from = 0;
  for (std::size_t to = 0; to < moments.size(); ++to) {
    while (moments[to] - moments[from] >= seconds(1)) ++from;
    EXPECT_LE(to - from + 1, 707U);
  }
  EXPECT_LE(moments.back() - moments.front(), milliseconds(3'000'000) / 700 + milliseconds(1));
}

}  // namespace
}  // namespace petrel::lane
