#include "base/clock.h"

#include <gtest/gtest.h>

namespace petrel {
namespace {

TEST(SystemClock, ShowsAMomentAfterThisWasWritten) {
  EXPECT_GT(SystemClock().wall(), wall_from_unix_seconds(1'767'225'600));  // 2026
}

TEST(SystemClock, NeverMovesBackWhereItIsMonotonic) {
  const SystemClock clock;
  MonoTime before = clock.mono();

  for (int i = 0; i < 1000; ++i) {
    const MonoTime after = clock.mono();
    ASSERT_GE(after, before);
    before = after;
  }
}

TEST(Time, RoundsTowardsThePastAlsoBefore1970) {
  EXPECT_EQ(unix_seconds(WallTime(Duration(-1))), -1);
  EXPECT_EQ(unix_seconds(WallTime(Duration(999'999))), 0);
  EXPECT_EQ(unix_seconds(wall_from_unix_seconds(-5)), -5);
  EXPECT_EQ(whole_milliseconds(Duration(1999)), 1);
  EXPECT_EQ(whole_milliseconds(Duration(-1)), -1);
}

}  // namespace
}  // namespace petrel
