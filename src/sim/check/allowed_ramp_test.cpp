#include "sim/check/allowed_ramp.h"

#include <gtest/gtest.h>

namespace petrel::sim::check {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kBegin{std::chrono::hours(1)};

// One attempt ends in each of these seconds.
void end_in(AllowedRamp& ramp, int first, int last, bool is_bad) {
  for (int second = first; second < last; ++second) {
    ramp.ended(is_bad, kBegin + seconds(second) + milliseconds(500));
  }
}

TEST(AllowedRamp, BeginsWithOneInFlightAndATenthOfTheFormerRate) {
  AllowedRamp ramp(300, kBegin);

  EXPECT_EQ(ramp.in_flight_max(kBegin), 1);
  EXPECT_EQ(ramp.rate(kBegin), 30);
  EXPECT_EQ(AllowedRamp(2, kBegin).rate(kBegin), 1);
}

TEST(AllowedRamp, DoublesWithEveryGoodStep) {
  AllowedRamp ramp(0, kBegin);
  end_in(ramp, 0, 10, false);

  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(4999)), 0);
  EXPECT_EQ(ramp.doublings(kBegin + seconds(5)), 1);
  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(9999)), 1);
  EXPECT_EQ(ramp.in_flight_max(kBegin + seconds(10)), 4);
}

TEST(AllowedRamp, StaysWhereAttemptsFailOrNoneEnds) {
  AllowedRamp ramp(0, kBegin);
  EXPECT_EQ(ramp.doublings(kBegin + seconds(60)), 0);

  end_in(ramp, 60, 90, true);

  EXPECT_EQ(ramp.doublings(kBegin + seconds(90)), 0);
}

TEST(AllowedRamp, TakesTheStepsThatAllowMost) {
  AllowedRamp ramp(0, kBegin);
  end_in(ramp, 0, 3, true);
  end_in(ramp, 3, 8, false);  // Good from 2.5 s on, if a step began there.

  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(7499)), 0);
  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(7500)), 1);
}

TEST(AllowedRamp, DoublesAfterFourStepsThatFailModerately) {
  AllowedRamp ramp(0, kBegin);
  for (int second = 0; second < 25; second += 3) {
    end_in(ramp, second, second + 1, true);
    end_in(ramp, second + 1, second + 3, false);
  }

  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(19'999)), 0);
  EXPECT_EQ(ramp.doublings(kBegin + seconds(20)), 1);
}

TEST(AllowedRamp, BeginsItsStepAgainAfterARestart) {
  AllowedRamp ramp(0, kBegin);
  end_in(ramp, 0, 4, false);
  ramp.restarted(kBegin + seconds(4));
  end_in(ramp, 4, 9, false);

  EXPECT_EQ(ramp.doublings(kBegin + milliseconds(8999)), 0);
  EXPECT_EQ(ramp.doublings(kBegin + seconds(9)), 1);
}

}  // namespace
}  // namespace petrel::sim::check
