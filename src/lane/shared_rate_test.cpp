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

TEST(SharedRate, APlaceMayBeUsedAtItsMomentAndNotBefore) {
  SharedRate rate(5);
  SharedRate::Place first = rate.reserve(kStart);
  SharedRate::Place second = rate.reserve(kStart);

  EXPECT_TRUE(rate.try_use(first, kStart));
  EXPECT_FALSE(rate.try_use(second, kStart + milliseconds(199)));
  EXPECT_TRUE(rate.try_use(second, kStart + milliseconds(200)));
}

TEST(SharedRate, OneThatIsLateMakesTheOthersWait) {
  SharedRate rate(1);
  SharedRate::Place late = rate.reserve(kStart);
  SharedRate::Place next = rate.reserve(kStart);
  ASSERT_TRUE(rate.try_use(late, kStart + milliseconds(900)));

  EXPECT_FALSE(rate.try_use(next, kStart + seconds(1)));
  EXPECT_EQ(next.at, kStart + milliseconds(1'900));
  EXPECT_EQ(rate.reserve(kStart + seconds(1)).at, kStart + milliseconds(2'900));
  EXPECT_TRUE(rate.try_use(next, kStart + milliseconds(1'900)));
}

TEST(SharedRate, APlaceIsLostAfterAnInterval) {
  SharedRate rate(1);
  SharedRate::Place kept = rate.reserve(kStart);
  ASSERT_TRUE(rate.try_use(kept, kStart + seconds(1)));

  SharedRate other(1);
  SharedRate::Place lost = other.reserve(kStart);
  (void)other.reserve(kStart);
  (void)other.reserve(kStart);
  EXPECT_FALSE(other.try_use(lost, kStart + milliseconds(1'001)));
  EXPECT_EQ(lost.at, kStart + seconds(3));
}

TEST(SharedRate, ANewRateHoldsAtOnceForThoseThatWaitToo) {
  SharedRate rate(1);
  SharedRate::Place first = rate.reserve(kStart);
  SharedRate::Place waiting = rate.reserve(kStart);
  (void)rate.reserve(kStart);
  ASSERT_TRUE(rate.try_use(first, kStart));

  rate.set_rate(10, kStart);

  EXPECT_FALSE(rate.try_use(waiting, kStart));
  EXPECT_EQ(waiting.at, kStart + milliseconds(100));
  EXPECT_EQ(rate.reserve(kStart).at, kStart + milliseconds(200));
  EXPECT_TRUE(rate.try_use(waiting, kStart + milliseconds(100)));
}

TEST(SharedRate, ALowerRateKeepsWhatWasGainedSinceTheLast) {
  SharedRate rate(10);
  SharedRate::Place first = rate.reserve(kStart);
  SharedRate::Place second = rate.reserve(kStart);
  (void)rate.reserve(kStart);
  ASSERT_TRUE(rate.try_use(first, kStart));
  ASSERT_TRUE(rate.try_use(second, kStart + milliseconds(100)));

  rate.set_rate(1, kStart + milliseconds(150));  // Half a token.

  EXPECT_EQ(rate.reserve(kStart + milliseconds(150)).at, kStart + milliseconds(650));
}

TEST(SharedRate, TheSameRateLeavesThePlacesAsTheyAre) {
  SharedRate rate(10);
  (void)rate.reserve(kStart);
  SharedRate::Place place = rate.reserve(kStart);

  rate.set_rate(10, kStart);

  EXPECT_TRUE(rate.try_use(place, kStart + milliseconds(100)));
  EXPECT_EQ(rate.reserve(kStart).at, kStart + milliseconds(200));
}

// As many as it can, from lanes whose timers are late by up to four milliseconds.
TEST(SharedRate, AnySecondSeesAtMostTheRateAndOnePercent) {
  for (const int per_second : {3, 100, 700, 5000}) {
    SharedRate rate(per_second);
    std::vector<MonoTime> gone;
    MonoTime now = kStart;
    std::vector<SharedRate::Place> line;
    for (int i = 0; i < 100; ++i) line.push_back(rate.reserve(now));
    for (int tick = 0; now < kStart + seconds(5); ++tick) {
      now += milliseconds(1 + tick % 4);
      for (SharedRate::Place& place : line) {
        if (place.at > now || !rate.try_use(place, now)) continue;
        gone.push_back(now);
        place = rate.reserve(now);
      }
    }

    std::size_t from = 0;
    for (std::size_t to = 0; to < gone.size(); ++to) {
      while (gone[to] - gone[from] >= seconds(1)) ++from;
      EXPECT_LE(to - from + 1, static_cast<std::size_t>(per_second + per_second / 100));
    }
    EXPECT_GE(gone.size(), static_cast<std::size_t>(5 * per_second * 9 / 10)) << per_second;
  }
}

}  // namespace
}  // namespace petrel::lane
