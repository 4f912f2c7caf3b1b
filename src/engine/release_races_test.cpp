// What a release does with deliveries that change, or cannot be sent, while it is under way.

#include <vector>

#include <gtest/gtest.h>

#include "engine/testing/driven_outage.h"

namespace petrel::engine {
namespace {

using std::chrono::minutes;
using StoreMood = DrivenCore::StoreMood;

TEST(ReleaseRaces, WhatIsResentBeforeItIsReleasedGoesOutOnce) {
  DrivenOutage outage({.in_flight_max = 2});
  DrivenCore& shard = outage.shard;
  outage.open();
  keep_failed(outage, 100, 139);
  outage.close();
  shard.mood = StoreMood::Slow;
  outage.end_ramp();  // 1 to 20 and 100 to 111 are being released; 112 is chosen next.
  shard.accept(22);
  shard.accept(23);
  shard.step();
  shard.holds_release_pages = true;
  shard.answer_settlement(1, SettleAnswer::Refused);  // Makes room for 112.
  shard.resend(112);
  shard.hand_over_pages();  // With 112 as it was before.

  shard.end(22, 200);
  shard.answer_settlement(22);
  shard.answer_settlement(112);
  shard.end(23, 200);

  EXPECT_EQ(shard.sent, (std::vector{22, 23, 112}));
}

TEST(ReleaseRaces, FiveFailuresAlsoTakeBackWhatIsStillBeingReleased) {
  DrivenOutage outage;
  DrivenCore& shard = outage.shard;
  outage.open();
  const WallTime due = outage.due_of(6);
  outage.close();
  shard.mood = StoreMood::Slow;
  outage.end_ramp();
  for (int n = 1; n <= 5; ++n) {
    shard.answer_settlement(n);
    shard.end(n, 500);
    shard.answer_settlement(n);
  }

  shard.mood = StoreMood::Well;
  for (int n = 6; n <= 20; ++n) shard.answer_settlement(n);

  EXPECT_EQ(shard.sent, (std::vector{1, 2, 3, 4, 5}));
  for (int n = 6; n <= 20; ++n) EXPECT_EQ(outage.due_of(n), due) << n;
  EXPECT_EQ(outage.lane().release, nullptr);
  EXPECT_FALSE(outage.lane().guard.has_outage());
  shard.pass(minutes(30));
  EXPECT_TRUE(shard.out.empty());
}

TEST(ReleaseRaces, ASuccessAfterFiveFailuresDoesNotGoOnWithTheRelease) {
  DrivenOutage outage({.in_flight_max = 6});
  DrivenCore& shard = outage.shard;
  outage.open();
  const WallTime due = outage.due_of(20);
  outage.close();
  shard.mood = StoreMood::Slow;
  outage.end_ramp();
  for (int n = 1; n <= 6; ++n) shard.answer_settlement(n);
  for (int n = 1; n <= 5; ++n) shard.end(n, 500);
  shard.end(6, 200);

  shard.answer_settlement(20);
  shard.mood = StoreMood::Well;
  shard.answer_settlement(20);

  EXPECT_EQ(shard.sent, (std::vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(outage.due_of(20), due);
}

TEST(ReleaseRaces, OneWhosePayloadIsDamagedDoesNotKeepTheReleaseOpen) {
  DrivenOutage outage;
  DrivenCore& shard = outage.shard;
  outage.open();
  outage.close();
  outage.end_ramp();
  ASSERT_EQ(shard.sent, std::vector{1});

  shard.core.payload_damaged(shard.out.begin()->first, shard.now);
  shard.out.clear();
  shard.step();
  outage.drain(200);

  EXPECT_EQ(outage.lane().release, nullptr);
  EXPECT_TRUE(outage.lane().guard.is_at_ease(shard.now.mono));
}

TEST(ReleaseRaces, OneThatCannotBeSentIsNotWaitedForWhenItIsReadAgain) {
  DrivenOutage outage;
  DrivenCore& shard = outage.shard;
  outage.open();
  keep_failed(outage, 100, 100 + static_cast<int>(Release::kChosenMax));
  outage.close();
  outage.end_ramp();
  shard.core.payload_damaged(shard.out.begin()->first, shard.now);
  shard.out.clear();
  shard.step();

  while (!shard.out.empty()) outage.drain(200);

  EXPECT_EQ(shard.live.size(), 1U);  // The damaged one.
  EXPECT_EQ(outage.lane().release, nullptr);
}

}  // namespace
}  // namespace petrel::engine
