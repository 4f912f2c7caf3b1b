#include "sim/replay_audit.h"

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using std::chrono::seconds;

constexpr MonoTime kStart{seconds(1000)};

TEST(LeakyBucket, HoldsABurstOfItsSizeAndThenItsRate) {
  LeakyBucket bucket(60, 3);

  EXPECT_TRUE(bucket.add(kStart, 3));
  for (int i = 1; i <= 100; ++i) EXPECT_TRUE(bucket.add(kStart + seconds(i), 1));
  EXPECT_FALSE(bucket.add(kStart + seconds(100), 1));
}

TEST(LeakyBucket, WhatWasNotUsedIsNotSavedUp) {
  LeakyBucket bucket(60, 3);
  EXPECT_TRUE(bucket.add(kStart, 1));

  EXPECT_FALSE(bucket.add(kStart + seconds(1000), 4));
}

TEST(LeakyBucket, SeesAWindowInTheMiddle) {
  LeakyBucket bucket(60, 2);

  EXPECT_TRUE(bucket.add(kStart, 1));
  EXPECT_TRUE(bucket.add(kStart + seconds(30), 2));
  EXPECT_TRUE(bucket.add(kStart + seconds(31), 1));
  EXPECT_FALSE(bucket.add(kStart + seconds(31), 1)) << "four within one second";
}

}  // namespace
}  // namespace petrel::sim
