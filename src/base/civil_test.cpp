#include "base/civil.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

TEST(Civil, KnowsTheEpochAndTheMomentBefore) {
  EXPECT_EQ(to_civil(WallTime{}), Civil{});
  EXPECT_EQ(to_civil(WallTime(Duration(-1))), (Civil{.year = 1969,
                                                     .month = 12,
                                                     .day = 31,
                                                     .hour = 23,
                                                     .minute = 59,
                                                     .second = 59,
                                                     .fraction = Duration(999'999)}));
}

TEST(Civil, LetsALeapSecondIn) {
  const Civil leap{.year = 2016, .month = 12, .day = 31, .hour = 23, .minute = 59, .second = 60};

  EXPECT_EQ(to_wall(leap), to_wall(Civil{.year = 2017}));
}

TEST(Civil, HasNoMomentForADayThatTheCalendarDoesNotHave) {
  EXPECT_EQ(to_wall({.year = 2026, .month = 2, .day = 30}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 2026, .month = 0, .day = 1}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 2026, .month = 13, .day = 1}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 2026, .month = 257, .day = 1}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 2026, .month = 1, .day = 257}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 0}), std::nullopt);
  EXPECT_EQ(to_wall({.year = 10'000}), std::nullopt);
}

TEST(Civil, HasNoMomentForATimeThatNoClockShows) {
  EXPECT_EQ(to_wall({.hour = 24}), std::nullopt);
  EXPECT_EQ(to_wall({.hour = -1}), std::nullopt);
  EXPECT_EQ(to_wall({.minute = 60}), std::nullopt);
  EXPECT_EQ(to_wall({.minute = -1}), std::nullopt);
  EXPECT_EQ(to_wall({.second = 61}), std::nullopt);
  EXPECT_EQ(to_wall({.second = -1}), std::nullopt);
}

TEST(Civil, NamesTheWeekday) {
  EXPECT_EQ(weekday_of(WallTime{}), std::chrono::Thursday);
  EXPECT_EQ(weekday_of(WallTime(Duration(-1))), std::chrono::Wednesday);
}

RC_GTEST_PROP(Civil, SortsAndReturnsAsTheMoments, ()) {
  const Duration::rep first = to_wall({.year = 1})->time_since_epoch().count();
  const Duration::rep last = to_wall({.year = 9999, .month = 12})->time_since_epoch().count();
  const WallTime a{Duration(*rc::gen::inRange(first, last))};
  const WallTime b{Duration(*rc::gen::inRange(first, last))};

  RC_ASSERT(to_wall(to_civil(a)) == a);
  RC_ASSERT((a < b) == (to_civil(a) < to_civil(b)));
}

}  // namespace
}  // namespace petrel
