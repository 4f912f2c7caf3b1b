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

TEST(VirtualClock, KnowsTheLastMomentOfATimeThatItShowedTwice) {
  VirtualClock clock(kBegin);
  clock.advance_to(MonoTime(seconds(100)));
  clock.step(-seconds(60));
  clock.advance_to(MonoTime(seconds(120)));

  EXPECT_EQ(clock.moment_of(kBegin + seconds(50)), MonoTime(seconds(110)));
  EXPECT_EQ(clock.moment_of(kBegin + seconds(30)), MonoTime(seconds(30)));
  EXPECT_EQ(clock.moment_of(kBegin + seconds(90)), MonoTime(seconds(90)));
  EXPECT_FALSE(clock.moment_of(kBegin + seconds(101)).has_value());
}

TEST(VirtualClock, KnowsWhatOneCouldHaveExpected) {
  VirtualClock clock(kBegin);
  clock.advance_to(MonoTime(seconds(100)));
  clock.step(seconds(30));
  clock.advance_to(MonoTime(seconds(200)));
  clock.step(-seconds(60));

  const WallTime time = kBegin + seconds(500);
  EXPECT_EQ(clock.earliest_expected(time, MonoTime(seconds(50))), MonoTime(seconds(470)));
  EXPECT_EQ(clock.earliest_expected(time, MonoTime(seconds(250))), MonoTime(seconds(530)));
}

}  // namespace
}  // namespace petrel::sim
