#include "lane/hold.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(seconds(1'000));

TEST(Hold, HoldsNothingUntilTold) {
  const Hold hold;

  EXPECT_EQ(hold.until(kStart), std::nullopt);
  EXPECT_EQ(hold.explain(kStart), "");
}

TEST(Hold, C5_HoldsUntilTheMomentAndNotLonger) {
  Hold hold;
  const MonoTime end = kStart + seconds(60);

  hold.extend(end);

  EXPECT_EQ(hold.until(kStart), end);
  EXPECT_EQ(hold.until(end - microseconds(1)), end);
  EXPECT_EQ(hold.until(end), std::nullopt);
}

TEST(Hold, C5_KeepsTheLaterOfTwoMoments) {
  Hold hold;

  hold.extend(kStart + seconds(60));
  hold.extend(kStart + seconds(30));
  EXPECT_EQ(hold.until(kStart), kStart + seconds(60));

  hold.extend(kStart + seconds(90));
  EXPECT_EQ(hold.until(kStart), kStart + seconds(90));
}

TEST(Hold, ReleaseEndsItAndForgetsTheMoment) {
  Hold hold;
  hold.extend(kStart + seconds(60));

  hold.release();
  EXPECT_EQ(hold.until(kStart), std::nullopt);

  hold.extend(kStart + seconds(10));
  EXPECT_EQ(hold.until(kStart), kStart + seconds(10));
}

TEST(Hold, ExplainsTheWait) {
  Hold hold;
  hold.extend(kStart + seconds(60));

  EXPECT_EQ(hold.explain(kStart + seconds(17)), "receiver asked us to wait; 43s left");
  EXPECT_EQ(hold.explain(kStart + seconds(60)), "");
}

}  // namespace
}  // namespace petrel::lane
