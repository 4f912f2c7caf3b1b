#include "lane/rate.h"

#include <gtest/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Rate, IsTheSameHoweverItsFractionIsWritten) {
  EXPECT_EQ(Rate::of(120, minutes(1)), Rate::per_second(2));
  EXPECT_NE(Rate::of(121, minutes(1)), Rate::per_second(2));
}

TEST(Rate, ATenthIsExact) {
  EXPECT_EQ(Rate::per_second(7).divided_by(10), Rate::of(7, seconds(10)));
  EXPECT_EQ(Rate::of(41, minutes(2)).divided_by(10), Rate::of(41, minutes(20)));
}

TEST(Rate, DividingRoundsToTheSlowerSideAndStopsAtTheSlowest) {
  EXPECT_EQ(Rate::of(41, minutes(7)).divided_by(10), Rate::of(17, minutes(30)));
  EXPECT_EQ(Rate::of(1, minutes(10)).divided_by(1000), Rate::of(1, Rate::kPeriodMax));
}

TEST(Rate, DoublingStopsAtOneAMicrosecond) {
  EXPECT_EQ(Rate::of(7, seconds(10)).doubled(), Rate::of(14, seconds(10)));
  EXPECT_EQ(Rate::per_second(600'000).doubled(), Rate::of(1, microseconds(1)));
  EXPECT_EQ(Rate::of(1, microseconds(1)).doubled(), Rate::of(1, microseconds(1)));
}

TEST(Rate, IsComparedByItsValue) {
  EXPECT_TRUE(Rate::of(121, minutes(1)).is_faster_than(Rate::per_second(2)));
  EXPECT_FALSE(Rate::of(120, minutes(1)).is_faster_than(Rate::per_second(2)));
  EXPECT_FALSE(Rate::of(119, minutes(1)).is_faster_than(Rate::per_second(2)));
}

TEST(Rate, IsShownInTheUnitInWhichItIsAtLeastOne) {
  EXPECT_EQ(Rate::per_second(65'535).text(), "65535/s");
  EXPECT_EQ(Rate::per_second(1).text(), "1/s");
  EXPECT_EQ(Rate::of(5, seconds(2)).text(), "2.5/s");
  EXPECT_EQ(Rate::of(100, minutes(1)).text(), "1.66/s");
  EXPECT_EQ(Rate::of(101, seconds(100)).text(), "1.01/s");
  EXPECT_EQ(Rate::of(1, seconds(10)).text(), "6/min");
  EXPECT_EQ(Rate::of(1, minutes(3)).text(), "20/h");
}

TEST(RateDeathTest, RefusesWhatIsNoRate) {
  EXPECT_DEATH(Rate::of(0, seconds(1)), "count >= 1");
  EXPECT_DEATH(Rate::of(1, seconds(0)), "period");
  EXPECT_DEATH(Rate::of(1, minutes(31)), "period");
  EXPECT_DEATH(Rate::of(2, microseconds(1)), "count <= period");
}

}  // namespace
}  // namespace petrel::lane
