#include "sim/judge/ramp_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

MonoTime at(double second) {
  return MonoTime(Duration(static_cast<Duration::rep>((100 + second) * 1e6)));
}

RampModel ramp(double former_rate = 0) { return RampModel(Guards{}, former_rate, at(0)); }

int in_flight_at(RampModel& model, double second) {
  model.pass(at(second));
  return model.in_flight_max();
}

TEST(RampModel, BeginsWithOneInFlightAndATenthOfTheRate) {
  EXPECT_EQ(ramp().in_flight_max(), 1);
  EXPECT_EQ(ramp().rate(), 1);
  EXPECT_EQ(ramp(200).rate(), 20);
}

TEST(RampModel, DoublesAfterAGoodStep) {
  RampModel model = ramp();
  model.ended(false, at(1));

  EXPECT_EQ(in_flight_at(model, 4.9), 1);
  EXPECT_EQ(in_flight_at(model, 5), 2);
}

TEST(RampModel, AStepWithoutAnEndingIsRepeated) {
  RampModel model = ramp();

  EXPECT_EQ(in_flight_at(model, 30), 1);
}

TEST(RampModel, AStepInWhichATenthFailsIsRepeated) {
  RampModel good = ramp();
  RampModel bad = ramp();
  for (int i = 0; i < 11; ++i) good.ended(i == 0, at(0.1));
  for (int i = 0; i < 10; ++i) bad.ended(i == 0, at(0.1));

  EXPECT_EQ(in_flight_at(good, 5), 2);
  EXPECT_EQ(in_flight_at(bad, 5), 1);
}

TEST(RampModel, AfterThreeRepeatsHalfOfThemMayFail) {
  RampModel model = ramp();
  for (int i = 0; i < 20; ++i) {
    model.ended(true, at(i));
    model.ended(false, at(i));
    model.ended(true, at(i));
  }

  EXPECT_EQ(in_flight_at(model, 19.9), 1);
  EXPECT_EQ(in_flight_at(model, 20), 2);
}

TEST(RampModel, ItsRateIsThatOfItsStep) {
  RampModel model = ramp();
  model.took(at(0), at(0));

  EXPECT_FALSE(model.fits(at(0.9), at(0.9)));
  EXPECT_TRUE(model.fits(at(1), at(1)));
}

TEST(RampModel, MayBeOverOnlyAfterAStepInWhichItWasNotSeenToHoldAnythingBack) {
  RampModel model = ramp();
  model.was_pressed(at(0), at(3));

  EXPECT_FALSE(model.may_be_over(at(7.9)));
  EXPECT_TRUE(model.may_be_over(at(8)));
}

TEST(RampModel, WhatMayHaveEndedBeforeItWasPressedMayStillBeOver) {
  RampModel model = ramp();
  model.was_pressed(at(5), at(5.5));
  RampModel held = ramp();
  held.was_pressed(at(4.9), at(5.5));

  EXPECT_TRUE(model.may_be_over(at(6)));
  EXPECT_FALSE(held.may_be_over(at(6)));
}

TEST(RampModel, MustBeOverAfterTwoIdleSteps) {
  RampModel model = ramp();
  model.was_busy(at(3));

  EXPECT_FALSE(model.must_be_over(at(13.9), milliseconds(1000)));
  EXPECT_TRUE(model.must_be_over(at(14), milliseconds(1000)));
}

TEST(RampModel, ARestartRepeatsTheStep) {
  RampModel model = ramp();
  model.ended(false, at(1));
  model.restarted(at(4));

  EXPECT_EQ(in_flight_at(model, 8), 1);
}

}  // namespace
}  // namespace petrel::sim::judge
