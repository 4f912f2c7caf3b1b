#include "sim/judge/pace_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart{seconds(1000)};

PaceModel begun(const PaceModel::Settings& settings) {
  PaceModel pace(settings);
  pace.begin(kStart);
  return pace;
}

// How many are allowed at one moment.
int burst(PaceModel& pace, MonoTime at) {
  int count = 0;
  while (pace.add(at)) ++count;
  return count;
}

TEST(PaceModel, AllowsASecondsWorthAndTheOneThatIsDue) {
  PaceModel slow = begun({.rate = 6, .ceiling = 6});
  PaceModel fast = begun({.rate = 600, .ceiling = 600});

  EXPECT_EQ(burst(slow, kStart), 2);
  EXPECT_EQ(burst(fast, kStart), 11);
}

TEST(PaceModel, ThenAllowsItsRate) {
  PaceModel pace = begun({.rate = 60, .ceiling = 60});
  EXPECT_TRUE(pace.add(kStart));

  for (int i = 1; i <= 100; ++i) EXPECT_TRUE(pace.add(kStart + seconds(i)));

  EXPECT_TRUE(pace.add(kStart + seconds(100)));
  EXPECT_FALSE(pace.add(kStart + seconds(100)));
}

TEST(PaceModel, WhatWasNotUsedIsNotSavedUp) {
  PaceModel pace = begun({.rate = 60, .ceiling = 60});
  EXPECT_TRUE(pace.add(kStart));

  EXPECT_EQ(burst(pace, kStart + seconds(1000)), 2);
}

TEST(PaceModel, SeesAWindowInTheMiddle) {
  PaceModel pace = begun({.rate = 60, .ceiling = 60});
  EXPECT_TRUE(pace.add(kStart));
  EXPECT_TRUE(pace.add(kStart + seconds(30)));
  EXPECT_TRUE(pace.add(kStart + seconds(30)));
  EXPECT_TRUE(pace.add(kStart + seconds(31)));

  EXPECT_FALSE(pace.add(kStart + seconds(31))) << "four within one second";
}

TEST(PaceModel, DoublesEachMinuteUpToTheCeiling) {
  PaceModel pace = begun({.rate = 600, .ceiling = 1800});

  EXPECT_EQ(pace.size_at(kStart + minutes(1) - Duration(1)), 11);
  EXPECT_EQ(pace.size_at(kStart + minutes(1)), 21);
  EXPECT_EQ(pace.size_at(kStart + minutes(2)), 31);
  EXPECT_EQ(pace.size_at(kStart + std::chrono::hours(2000)), 31);
}

TEST(PaceModel, LeaksByTheRateOfEachMinute) {
  PaceModel pace = begun({.rate = 60, .ceiling = 6000});
  EXPECT_EQ(burst(pace, kStart + seconds(59) + milliseconds(500)), 2);

  // The one that was not allowed ran in as well. Half a second at one a second, and half a second
  // at two, are one and a half.
  EXPECT_EQ(burst(pace, kStart + seconds(60) + milliseconds(500)), 1);
}

TEST(PaceModel, MayBeWidened) {
  PaceModel pace = begun({.rate = 6, .ceiling = 6});

  pace.widen();

  EXPECT_EQ(burst(pace, kStart), 3);
}

}  // namespace
}  // namespace petrel::sim::judge
