#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "engine/core.h"
#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::seconds;
using Numbers = std::vector<int>;

// A lane on the host of all of these.
LaneConfig on_shared_host(int endpoint, int in_flight_max) {
  LaneConfig config = lane_config(endpoint);
  config.authority = "https://shared:443";
  config.settings.in_flight_max = in_flight_max;
  return config;
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
  for (int endpoint = 1; endpoint <= 20; ++endpoint) {
    shard.add_lane(endpoint);
    add_backlog(shard, endpoint, 100 * endpoint, 100 * endpoint + 9);
  }

  for (int round = 0; round < 20; ++round) {
    shard.step();
    ASSERT_EQ(shard.out.size(), 13U);
    ASSERT_EQ(shard.core.counts().out, 13);
    shard.end(DrivenCore::number_of(shard.out.begin()->second.order.delivery.message), 200);
  }
}

TEST(Fairness, D2_LanesTakeTurnsOneAttemptEach) {
  DrivenCore shard;
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    shard.add_lane(endpoint, {.in_flight_max = 2});
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
  ASSERT_EQ(shard.out_of(1), 2);  // The first one, and one of the four others.

  shard.accept(9'000, 2);
  shard.step();

  EXPECT_EQ(shard.out_of(2), 1);
}

// Each takes one more while it holds less than a quarter of what is left.
TEST(Fairness, ALaneHasFurtherSlotsByTheThreshold) {
  DrivenCore shard({.slots = 100});
  const auto in_flight_with = [&](int lanes) {
    shard.add_lane(lanes, {.in_flight_max = 50, .is_guarded = false});
    add_backlog(shard, lanes, 100 * lanes, 100 * lanes + 99);
    shard.step();
    return shard.out_of(lanes);
  };

  EXPECT_EQ(in_flight_with(1), 11);
  EXPECT_EQ(in_flight_with(2), 9);  // 40 are left of the 50.
  EXPECT_EQ(in_flight_with(3), 8);
  EXPECT_EQ(in_flight_with(4), 6);
}

TEST(Fairness, WhateverHangsALaneThatNeedsOneSlotHasIt) {
  DrivenCore shard({.slots = 64});
  for (int endpoint = 1; endpoint <= 31; ++endpoint) {
    shard.add_lane(endpoint, {.in_flight_max = 50, .is_guarded = false});
    add_backlog(shard, endpoint, 100 * endpoint, 100 * endpoint + 60);
  }
  shard.step();
  ASSERT_GT(shard.out.size(), 50U);

  shard.add_lane(99);
  for (const int number : {9'001, 9'002, 9'003}) {
    shard.accept(number, 99);
    shard.step();
    ASSERT_EQ(shard.sent.back(), number);
    shard.end(number, 200);
  }
}

TEST(Fairness, ALaneThatWaitsForASlotHasTheNextOneThatItMayHave) {
  DrivenCore shard({.slots = 4});
  for (const int endpoint : {1, 2, 3}) {
    shard.add_lane(endpoint);
    for (int n = 1; n <= 3; ++n) shard.accept(100 * endpoint + n, endpoint);
  }
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{101, 201, 102, 202}));

  shard.end(102, 200);  // A further one: lane 3 has to wait for a first one.
  EXPECT_EQ(shard.sent.back(), 103);
  shard.end(201, 200);
  shard.end(202, 200);
  EXPECT_EQ(shard.sent.back(), 203);
  shard.end(203, 200);
  EXPECT_EQ(shard.sent, (Numbers{101, 201, 102, 202, 103, 203, 301, 302}));
}

TEST(Fairness, ALaneThatHasNoUseForASlotAnyMoreLetsInTheNext) {
  DrivenCore shard({.slots = 2});
  for (const int endpoint : {1, 2, 3}) shard.add_lane(endpoint);
  shard.accept(101, 1);
  shard.accept(201, 2);
  shard.accept(301, 3);
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{101}));
  LaneConfig paused = lane_config(2);
  paused.settings.may_send = false;
  shard.core.configure(paused, shard.now);

  shard.end(101, 200);

  EXPECT_EQ(shard.sent, (Numbers{101, 301}));
}

TEST(Fairness, ASlotIsHeldUntilTheOutcomeIsOnDisk) {
  DrivenCore shard({.slots = 1});
  shard.add_lane(1);
  shard.add_lane(2);
  shard.accept(101, 1);
  shard.accept(201, 2);
  shard.step();
  shard.mood = DrivenCore::StoreMood::Slow;

  shard.end(101, 200);
  ASSERT_EQ(shard.sent, (Numbers{101}));
  shard.answer_settlement(101);

  EXPECT_EQ(shard.sent, (Numbers{101, 201}));
}

TEST(Fairness, ALaneMayUseTheOnlySlot) {
  DrivenCore shard({.slots = 1});
  shard.add_lane(1, {.may_send = false});
  add_backlog(shard, 1, 1, 10);
  shard.add_lane(1);  // Resumed: it ramps.

  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
}

// Two shards with a budget in common.
struct TwoShards {
  explicit TwoShards(int slots)
      : budget(std::make_shared<SlotBudget>(slots, 2)),
        here({.budget = budget, .shard = 0}),
        there({.budget = budget, .shard = 1}) {}

  std::shared_ptr<SlotBudget> budget;
  DrivenCore here;
  DrivenCore there;
};

TEST(SharedSlots, AShardHasTheSlotThatAnotherFrees) {
  TwoShards both(2);
  both.here.add_lane(1);
  both.there.add_lane(2);
  for (int n = 101; n <= 103; ++n) both.here.accept(n, 1);
  both.there.accept(201, 2);
  both.here.step();
  both.there.step();
  ASSERT_EQ(both.here.sent, (Numbers{101, 102}));
  ASSERT_EQ(both.there.sent, (Numbers{}));

  both.here.end(102, 200);
  EXPECT_TRUE(both.here.freed.empty());  // A further one is of no use there.
  both.here.mood = DrivenCore::StoreMood::Slow;
  both.here.end(101, 200);
  both.here.end(103, 200);
  both.here.answer_settlement(101);
  both.here.answer_settlement(103);

  ASSERT_EQ(both.here.freed.size(), 1U);
  EXPECT_EQ(both.here.freed.front().shard, 1U);
  both.there.core.slot_given(both.here.freed.front().kind);
  both.there.step();
  EXPECT_EQ(both.there.sent, (Numbers{201}));
}

TEST(SharedSlots, AShardThatWasGivenASlotInVainPassesItOn) {
  TwoShards both(2);
  both.here.add_lane(1);
  both.here.add_lane(3);
  both.there.add_lane(2);
  both.here.accept(101, 1);
  both.here.step();
  both.there.accept(201, 2);
  both.there.step();
  both.here.accept(301, 3);
  both.here.end(101, 200);
  ASSERT_EQ(both.here.freed.size(), 1U);
  ASSERT_EQ(both.here.sent, (Numbers{101}));  // The other one's turn was before.
  LaneConfig paused = lane_config(2);
  paused.settings.may_send = false;
  both.there.core.configure(paused, both.there.now);

  both.there.core.slot_given(both.here.freed.front().kind);
  both.there.step();

  ASSERT_EQ(both.there.freed.size(), 1U);
  both.here.core.slot_given(both.there.freed.front().kind);
  both.here.step();
  EXPECT_EQ(both.here.sent, (Numbers{101, 301}));
  EXPECT_EQ(both.budget->in_use(), 1);
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
  shard.core.set_authority_limit("https://shared:443", {.cap = 7});
  shard.core.configure(on_shared_host(1, 7), shard.now);
  shard.core.configure(on_shared_host(2, 1), shard.now);
  add_backlog(shard, 1, 1, 50);

  shard.step();

  EXPECT_EQ(shard.out_of(1), 6);  // One is kept for the other endpoint.
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

TEST(Fairness, OfAnAuthoritysCapPlacesAreKeptForItsOtherEndpoints) {
  DrivenCore shard({.in_flight_per_authority = 8});
  shard.core.set_authority_limit("https://shared:443", {.cap = 8, .endpoints = 3});
  shard.core.configure(on_shared_host(1, 8), shard.now);
  add_backlog(shard, 1, 1, 50);
  shard.step();
  EXPECT_EQ(shard.out_of(1), 6);

  for (const int endpoint : {2, 3}) {
    shard.core.configure(on_shared_host(endpoint, 8), shard.now);
    add_backlog(shard, endpoint, 100 * endpoint, 100 * endpoint + 50);
  }
  shard.step();

  EXPECT_EQ(shard.out_of(1), 6);
  EXPECT_EQ(shard.out_of(2), 1);
  EXPECT_EQ(shard.out_of(3), 1);
}

TEST(Fairness, NoMoreThanHalfOfAnAuthoritysCapIsKeptForOthers) {
  DrivenCore shard({.in_flight_per_authority = 8});
  shard.core.set_authority_limit("https://shared:443", {.cap = 8, .endpoints = 100});
  shard.core.configure(on_shared_host(1, 8), shard.now);
  add_backlog(shard, 1, 1, 50);

  shard.step();

  EXPECT_EQ(shard.out_of(1), 4);
}

TEST(Fairness, WhatALaneHasInFlightAtAnAuthorityCountsThereWhenItComesBack) {
  DrivenCore shard({.in_flight_per_authority = 4});
  LaneConfig elsewhere = on_shared_host(1, 4);
  elsewhere.authority = "https://elsewhere:443";
  shard.core.configure(on_shared_host(1, 4), shard.now);
  shard.core.configure(on_shared_host(2, 4), shard.now);
  for (const int n : {1, 2, 3}) shard.accept(n, 1);
  shard.step();
  ASSERT_EQ(shard.out_of(1), 3);

  shard.core.configure(elsewhere, shard.now);
  shard.core.configure(on_shared_host(1, 4), shard.now);
  shard.accept(4, 1);
  shard.accept(101, 2);
  shard.step();

  EXPECT_EQ(shard.out_of(1), 3);
  EXPECT_EQ(shard.out_of(2), 1);
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
