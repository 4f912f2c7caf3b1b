#include "sim/judge/hold_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kLate = milliseconds(100);

Moment at(int second) { return {MonoTime(seconds(second)), WallTime(seconds(1'000'000 + second))}; }

bool is_held(const HoldModel& hold, int second) { return hold.is_held_at(at(second).mono, kLate); }

HoldModel asked_for(int second, int length) {
  HoldModel hold;
  hold.wished(1, at(second), seconds(length), seconds(length));
  return hold;
}

TEST(HoldModel, HoldsUntilTheVeryMoment) {
  const HoldModel hold = asked_for(10, 30);

  EXPECT_TRUE(is_held(hold, 39));
  EXPECT_FALSE(is_held(hold, 40));
}

TEST(HoldModel, LeavesALateLoopAMoment) {
  const HoldModel hold = asked_for(10, 30);

  EXPECT_FALSE(hold.is_held_at(at(10).mono + kLate, kLate));
  EXPECT_TRUE(hold.is_held_at(at(10).mono + kLate + Duration(1), kLate));
}

TEST(HoldModel, TheLatestEndWins) {
  HoldModel hold = asked_for(10, 30);
  hold.wished(2, at(12), seconds(1), seconds(1));

  EXPECT_TRUE(is_held(hold, 39));
}

TEST(HoldModel, OutlivesADeathOnceItIsOnDisk) {
  HoldModel kept = asked_for(10, 30);
  HoldModel lost = kept;
  TwoClocks clocks;
  clocks.noted(at(0));
  kept.recorded(1, at(10).mono);

  for (HoldModel* hold : {&kept, &lost}) {
    hold->died();
    hold->started(clocks);
  }

  EXPECT_TRUE(is_held(kept, 39));
  EXPECT_FALSE(is_held(lost, 20));
  EXPECT_EQ(lost.perhaps_until(), at(40).mono);
}

TEST(HoldModel, OneThatIsHandedOverAgainKnowsWhatCameMeanwhile) {
  HoldModel hold = asked_for(10, 30);
  hold.wished(2, at(12), seconds(30), seconds(30));
  TwoClocks clocks;
  clocks.noted(at(0));
  hold.recorded(2, at(12).mono);
  hold.recorded(1, at(13).mono);

  hold.died();
  hold.started(clocks);

  EXPECT_TRUE(is_held(hold, 41));
}

TEST(HoldModel, ADeathLeavesWhatTheLastSettlementOnDiskKnew) {
  HoldModel hold = asked_for(10, 30);
  hold.wished(2, at(12), seconds(30), seconds(30));
  TwoClocks clocks;
  clocks.noted(at(0));
  hold.recorded(2, at(12).mono);
  hold.recorded(1, at(10).mono);

  hold.died();
  hold.started(clocks);

  EXPECT_TRUE(is_held(hold, 39));
  EXPECT_FALSE(is_held(hold, 41));
}

TEST(HoldModel, AfterARestartItGoesByTheWallClock) {
  HoldModel hold = asked_for(10, 30);
  hold.recorded(1, at(10).mono);
  hold.died();
  TwoClocks clocks;
  clocks.noted(at(0));
  clocks.noted({at(15).mono, at(20).wall});  // Set forward by five seconds.

  hold.started(clocks);

  EXPECT_TRUE(is_held(hold, 34));
  EXPECT_FALSE(is_held(hold, 35));
}

TEST(HoldModel, AnOrderEndsIt) {
  HoldModel hold = asked_for(10, 30);

  hold.lift_asked();
  EXPECT_FALSE(is_held(hold, 20)) << "it may be lifted";
  EXPECT_EQ(hold.perhaps_until(), at(40).mono) << "or not";
  hold.lift_told();

  EXPECT_EQ(hold.perhaps_until(), MonoTime::min());
}

}  // namespace
}  // namespace petrel::sim::judge
