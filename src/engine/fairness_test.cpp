#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "engine/core.h"
#include "engine/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Numbers = std::vector<int>;

// A lane on the host of all of these.
LaneConfig on_shared_host(int endpoint, int in_flight_max) {
  LaneConfig config = lane_config(endpoint);
  config.authority = "https://shared:443";
  config.settings.in_flight_max = in_flight_max;
  return config;
}

// Begins with a ramp, as after a pause.
void resume(DrivenCore& shard, LaneConfig config) {
  config.settings.may_send = false;
  shard.core.configure(config, shard.now);
  config.settings.may_send = true;
  shard.core.configure(config, shard.now);
}

void add_backlog(DrivenCore& shard, int endpoint, int first, int last) {
  shard.keep_pending(first, last, endpoint);
  shard.core.nudge(endpoint_id(endpoint));
}

TEST(Fairness, C6_D3_ALaneHasAtMostTenInFlightWhateverItsBacklog) {
  DrivenCore shard;
  shard.add_lane(1);
  add_backlog(shard, 1, 1, 5'000);

  shard.step();

  EXPECT_EQ(shard.out.size(), 10U);
  shard.end(1, 200);
  EXPECT_EQ(shard.out.size(), 10U);
}

TEST(Fairness, NoMoreAttemptsAreOutThanThereAreSlots) {
  DrivenCore shard({.slots = 13});
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    shard.add_lane(endpoint);
    add_backlog(shard, endpoint, 100 * endpoint, 100 * endpoint + 99);
  }

  for (int round = 0; round < 20; ++round) {
    shard.step();
    ASSERT_EQ(shard.out.size(), 13U);
    ASSERT_EQ(shard.core.counts().out, 13);
    shard.end(DrivenCore::number_of(shard.out.begin()->second.order.delivery.message), 200);
  }
}

TEST(Fairness, D2_LanesTakeTurnsOneAttemptEach) {
  DrivenCore shard({.slots = 6});
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    shard.add_lane(endpoint);
    for (int n = 1; n <= 10; ++n) shard.accept(100 * endpoint + n, endpoint);
  }

  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{101, 201, 301, 102, 202, 302}));
}

TEST(Fairness, D2_ABacklogOfThousandsDoesNotDelayAnothersSingleDelivery) {
  DrivenCore shard({.slots = 8});
  shard.add_lane(1);
  shard.add_lane(2);
  add_backlog(shard, 1, 1, 5'000);
  shard.step();
  ASSERT_EQ(shard.out_of(1), 8);

  shard.accept(9'000, 2);
  shard.step();
  shard.end(1, 200);  // The next slot is free: lane 1 waits for it longer, and has its turn.
  shard.end(2, 200);

  EXPECT_EQ(shard.out_of(2), 1);
}

TEST(Fairness, D2_LanesWithoutAnAnswerForTwoSecondsHoldAtMostHalfOfTheSlots) {
  DrivenCore shard({.slots = 8});
  shard.add_lane(1);
  shard.add_lane(2);
  add_backlog(shard, 1, 1, 100);
  shard.step();
  ASSERT_EQ(shard.out_of(1), 8);

  shard.pass(seconds(2));
  for (int n = 1; n <= 4; ++n) shard.end(n, 200);

  EXPECT_EQ(shard.out_of(1), 4);
  for (int n = 201; n <= 210; ++n) shard.accept(n, 2);
  shard.step();
  EXPECT_EQ(shard.out_of(2), 4);
  shard.end(5, 200);
  EXPECT_EQ(shard.out_of(1), 3);  // The free slot went to the lane that is well.
  EXPECT_EQ(shard.out_of(2), 5);

  shard.end(6, 200);
  shard.end(7, 200);
  shard.end(8, 200);
  EXPECT_EQ(shard.out.size(), 8U);
  EXPECT_GE(shard.out_of(1), 1);  // All is answered: it is well again, and takes its turns.
}

TEST(Fairness, WhatLanesInTroubleTakeWhileSlotsAreFreeCountsForTheirHalfToo) {
  DrivenCore shard({.slots = 10});
  for (int endpoint = 1; endpoint <= 6; ++endpoint) {
    shard.add_lane(endpoint);
    resume(shard, lane_config(endpoint));  // It ramps.
  }
  shard.add_lane(9);
  for (const int endpoint : {1, 2}) shard.accept(endpoint, endpoint);
  for (const int number : {901, 902, 903}) shard.accept(number, 9);
  shard.step();
  shard.accept(3, 3);
  shard.step();  // Half of the slots are taken, so those in trouble are counted.
  for (const int number : {901, 902, 903}) shard.end(number, 200);
  ASSERT_EQ(shard.out.size(), 3U);

  for (const int endpoint : {4, 5, 6}) shard.accept(endpoint, endpoint);
  shard.step();

  EXPECT_EQ(shard.out.size(), 5U);
}

TEST(Fairness, ALaneInTroubleMayStillUseTheOnlySlot) {
  DrivenCore shard({.slots = 1});
  shard.add_lane(1, {.may_send = false});
  add_backlog(shard, 1, 1, 10);
  shard.add_lane(1);  // Resumed: it ramps.

  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
}

TEST(Fairness, ALaneReadsOnAlsoIfASlotIsNeverFreeForLong) {
  DrivenCore shard({.slots = 1});
  shard.add_lane(1, {.is_guarded = false});
  shard.keep_pending(1, 40);  // More than are read at once.
  shard.core.nudge(endpoint_id(1));
  shard.step();

  // There is always a retry that is due.
  for (int i = 0; i < 100; ++i) {
    shard.end_all(500);
    shard.pass(seconds(10));
  }

  EXPECT_EQ(std::count(shard.sent.begin(), shard.sent.end(), 40), 1);
}

TEST(Fairness, EndpointsOfOneAuthorityShareACap) {
  DrivenCore shard({.in_flight_per_authority = 5});
  shard.core.configure(on_shared_host(1, 4), shard.now);
  shard.core.configure(on_shared_host(2, 4), shard.now);
  shard.add_lane(3);
  add_backlog(shard, 1, 1, 50);
  add_backlog(shard, 2, 101, 150);
  add_backlog(shard, 3, 201, 250);

  shard.step();

  EXPECT_EQ(shard.out_of(1) + shard.out_of(2), 5);
  EXPECT_EQ(shard.out_of(3), 10);
  for (int n = 1; n <= 10; ++n) {
    shard.end(shard.sent[static_cast<std::size_t>(n - 1)], 200);
    ASSERT_EQ(shard.out_of(1) + shard.out_of(2), 5);
    ASSERT_GE(std::min(shard.out_of(1), shard.out_of(2)), 1);
  }
}

TEST(Fairness, TheCapOfAnAuthorityIsNoLessThanWhatItWasSetTo) {
  DrivenCore shard({.in_flight_per_authority = 2});
  shard.core.set_authority_cap("https://shared:443", 7);
  shard.core.configure(on_shared_host(1, 7), shard.now);
  shard.core.configure(on_shared_host(2, 1), shard.now);
  add_backlog(shard, 1, 1, 50);

  shard.step();

  EXPECT_EQ(shard.out_of(1), 7);
}

TEST(Fairness, ALaneThatEmptiesLetsInTheNextOneOfItsAuthority) {
  DrivenCore shard({.in_flight_per_authority = 2});
  shard.core.configure(on_shared_host(1, 2), shard.now);
  shard.core.configure(on_shared_host(2, 2), shard.now);
  shard.core.configure(on_shared_host(3, 2), shard.now);
  shard.accept(1, 1);
  shard.accept(2, 1);
  shard.accept(3, 2);
  shard.accept(4, 3);
  shard.step();
  ASSERT_EQ(shard.out.size(), 2U);

  while (!shard.out.empty()) shard.end_all(200);

  EXPECT_EQ(std::set<int>(shard.sent.begin(), shard.sent.end()), (std::set<int>{1, 2, 3, 4}));
}

TEST(Fairness, LanesInTroubleDoNotKeepTheRoomOfTheirAuthorityFromAnother) {
  DrivenCore shard({.slots = 4, .in_flight_per_authority = 1});
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    shard.core.configure(on_shared_host(endpoint, 1), shard.now);
  }
  resume(shard, on_shared_host(1, 1));  // Lanes 1 and 2 ramp, lane 3 is well.
  resume(shard, on_shared_host(2, 1));
  shard.accept(1, 1);
  shard.accept(11, 1);
  shard.step();
  shard.add_lane(9, {.in_flight_max = 2});
  shard.accept(901, 9);
  shard.accept(902, 9);
  shard.step();
  shard.pass(seconds(3));  // Lane 9 is in trouble too, and has half of the slots.
  shard.accept(2, 2);
  shard.accept(3, 3);
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{1, 901, 902}));

  shard.end(1, 200);

  EXPECT_EQ(shard.sent, (Numbers{1, 901, 902, 3}));
}

TEST(Fairness, ALaneThatMovesToAnotherHostWaitsThereAndNoLongerHere) {
  DrivenCore shard({.in_flight_per_authority = 1});
  shard.core.configure(on_shared_host(1, 1), shard.now);
  shard.core.configure(on_shared_host(2, 1), shard.now);
  LaneConfig elsewhere = on_shared_host(3, 1);
  elsewhere.authority = "https://elsewhere:443";
  shard.core.configure(elsewhere, shard.now);
  shard.accept(1, 1);
  shard.accept(3, 3);
  shard.accept(2, 2);
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{1, 3}));

  LaneConfig moved = on_shared_host(2, 1);
  moved.authority = "https://elsewhere:443";
  shard.core.configure(moved, shard.now);
  shard.step();
  EXPECT_EQ(shard.sent, (Numbers{1, 3}));
  shard.end(3, 200);

  EXPECT_EQ(shard.sent, (Numbers{1, 3, 2}));
}

}  // namespace
}  // namespace petrel::engine
