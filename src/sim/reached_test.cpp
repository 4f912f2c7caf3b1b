#include "sim/reached.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using judge::Act;

// Everything, once.
struct Full {
  Full() {
    for (std::size_t i = 0; i < kFaultKinds; ++i) faults.add(static_cast<Fault>(i));
    for (std::size_t i = 0; i < kActs; ++i) reached.add(static_cast<Act>(i));
    for (std::size_t i = 0; i < kLandmarks; ++i) reached.add(static_cast<Landmark>(i));
  }
  FaultCounts faults;
  Reached reached;
};

TEST(Reached, ARunThatCameByEverythingMissesNothing) {
  const Full full;

  EXPECT_TRUE(unreached(full.reached, full.faults, true).empty());
}

TEST(Reached, EachFaultActAndLandmarkThatIsMissingIsNamed) {
  const Full full;

  const auto no_faults = unreached(full.reached, {}, true);
  const auto nothing = unreached({}, full.faults, true);

  EXPECT_EQ(no_faults.size(), kFaultKinds);
  EXPECT_EQ(std::count(no_faults.begin(), no_faults.end(), "power cut"), 1);
  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), "change application"), 1);
  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), "probe lost in a crash"), 1);
}

TEST(Reached, WhatNobodyDoesInADayIsNotMissed) {
  const Full full;

  const auto nothing = unreached({}, full.faults, true);

  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), "discard"), 0);
  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), "start task"), 1);
}

TEST(Reached, WithoutFilesNoPowerCutIsMissed) {
  const Full full;

  const auto missing = unreached(full.reached, {}, false);

  EXPECT_EQ(missing.size(), kFaultKinds - 2);
}

TEST(Reached, RunsAddUp) {
  Reached sum;
  sum.add(Landmark::ProbeLost);
  Reached other;
  other.add(Landmark::ProbeLost);
  other.add(Act::Resend);

  sum.add(other);

  EXPECT_EQ(sum.of(Landmark::ProbeLost), 2U);
  EXPECT_EQ(sum.of(Act::Resend), 1U);
}

TEST(Reached, EveryLandmarkHasAName) {
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    EXPECT_FALSE(to_string(static_cast<Landmark>(i)).empty()) << i;
  }
}

}  // namespace
}  // namespace petrel::sim
