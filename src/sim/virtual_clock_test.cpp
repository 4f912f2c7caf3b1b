#include "sim/virtual_clock.h"

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr WallTime kBegin = wall_from_unix_seconds(1'000'000);

TEST(VirtualClock, StandsStillUntilItIsMoved) {
  VirtualClock clock(kBegin);

  clock.advance_to(MonoTime(seconds(5)));

  EXPECT_EQ(clock.mono(), MonoTime(seconds(5)));
  EXPECT_EQ(clock.wall(), kBegin + seconds(5));
}

TEST(VirtualClock, StepsTheWallClockOnly) {
  VirtualClock clock(kBegin);
  clock.advance_to(MonoTime(seconds(5)));

  clock.step(-hours(1));

  EXPECT_EQ(clock.mono(), MonoTime(seconds(5)));
  EXPECT_EQ(clock.wall(), kBegin + seconds(5) - hours(1));
  EXPECT_EQ(clock.steps(), 1U);
}

}  // namespace
}  // namespace petrel::sim
