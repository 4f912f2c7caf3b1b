// What a Core does for a receiver that is back after an outage, and how it probes one that is away.

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/testing/driven_outage.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using model::NextBasis;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Numbers = std::vector<int>;
using State = lane::CircuitBreaker::State;

Numbers numbers(int first, int last) {
  Numbers all(static_cast<std::size_t>(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(Release, WhatFailedInTheOutageIsSentOnceTheRampIsOverTheOldestFirst) {
  DrivenOutage outage;
  outage.open();
  outage.close();
  outage.shard.pass(milliseconds(4'900));
  EXPECT_TRUE(outage.shard.sent.empty());

  outage.shard.pass(milliseconds(100));

  EXPECT_EQ(outage.drain(200), numbers(1, 20));
  EXPECT_TRUE(outage.lane().guard.is_at_ease(outage.shard.now.mono));
  EXPECT_EQ(outage.lane().release, nullptr);
  EXPECT_TRUE(outage.shard.live.empty());
}

TEST(Release, ALaneLeavesAlthoughThereWasNothingToRelease) {
  DrivenOutage outage;
  outage.open();
  outage.shard.live.clear();
  outage.shard.core.nudge(endpoint_id(1));
  outage.shard.step();
  outage.close();
  outage.end_ramp();

  outage.shard.pass(hours(2));

  EXPECT_EQ(outage.shard.left.size(), 1U);
}

TEST(Release, ReadsAndWritesInBoundedSteps) {
  DrivenOutage outage;
  outage.open();
  keep_failed(outage, 100, 399);
  outage.close();
  outage.end_ramp();

  std::map<std::size_t, int> reads;
  for (const store::DueQuery& query : outage.shard.release_loads) ++reads[query.limit];
  EXPECT_EQ(reads, (std::map<std::size_t, int>{{64, 5}, {1, 32}}));
  const auto is_released = [&](const auto& each) {
    return each.second.next && each.second.next->basis == NextBasis::Release;
  };
  const auto& live = outage.shard.live;
  EXPECT_EQ(std::count_if(live.begin(), live.end(), is_released), 32);
  Numbers expected = numbers(1, 20);
  for (int n = 100; n < 180; ++n) expected.push_back(n);
  EXPECT_EQ(outage.drain(200), expected);
}

TEST(Release, ReadsWhatWaitsOnceToChooseAndOnceToRelease) {
  DrivenOutage outage;
  outage.open();
  keep_failed(outage, 100, 5'099);
  outage.close();
  outage.end_ramp();

  Numbers sent;
  for (Numbers more = outage.drain(200); !more.empty(); more = outage.drain(200)) {
    sent.insert(sent.end(), more.begin(), more.end());
  }

  EXPECT_EQ(sent.size(), 5'020U);
  EXPECT_TRUE(std::is_sorted(sent.begin(), sent.end()));
  EXPECT_EQ(outage.shard.rows_for_release, 2 * 5'020U);
}

TEST(Release, LeavesWhatFailedLongBeforeTheOutageWhereItIs) {
  DrivenOutage outage;
  model::Delivery old = retrying(99, hours(2));
  old.updated_at = kWallStart - seconds(61);
  old.next = model::Next{};
  outage.shard.keep(old);
  model::Delivery just_before = retrying(98, hours(2));
  just_before.updated_at = kWallStart - seconds(60);
  just_before.next = model::Next{};
  outage.shard.keep(just_before);
  outage.open();
  outage.close();
  outage.end_ramp();

  Numbers expected = numbers(1, 20);
  expected.push_back(98);
  EXPECT_EQ(outage.drain(200), expected);
  EXPECT_EQ(outage.due_of(99), kWallStart + hours(2));
}

TEST(Release, AnAttemptThatFailsLeavesTheDeliveryDueWhenItWasAndIsNotReleasedAgain) {
  DrivenOutage outage;
  outage.open();
  const WallTime due = outage.due_of(1);
  outage.close();
  outage.end_ramp();
  outage.shard.end(1, 500);
  EXPECT_EQ(outage.drain(200), numbers(2, 20));

  EXPECT_GE(outage.due_of(1), due);
  const model::Delivery& failed = outage.shard.live.begin()->second;
  EXPECT_EQ(failed.next->released_from, due);
  EXPECT_EQ(failed.progress.attempts, 2);
  EXPECT_TRUE(outage.shard.out.empty());
}

TEST(Release, FiveFailuresInARowEndItAndTheRestKeepTheirDueTimes) {
  DrivenOutage outage;
  outage.open();
  std::vector<WallTime> due;
  for (int n = 1; n <= 20; ++n) due.push_back(outage.due_of(n));
  outage.close();
  outage.end_ramp();

  EXPECT_EQ(outage.drain(500), numbers(1, 5));

  for (int n = 6; n <= 20; ++n) EXPECT_EQ(outage.due_of(n), due[static_cast<std::size_t>(n - 1)]);
  EXPECT_EQ(outage.circuit(), State::Closed);
  EXPECT_FALSE(outage.lane().guard.has_outage());
  outage.shard.pass(minutes(30));
  EXPECT_TRUE(outage.shard.out.empty());
}

TEST(Release, GoesOnAfterARestart) {
  DrivenOutage outage;
  outage.open();
  outage.close();
  outage.end_ramp();
  outage.shard.end(1, 200);
  const auto kept = store::decode_kept_lane(*outage.shard.written.back().lane).value();
  ASSERT_TRUE(kept.snapshot.outage.has_value());

  DrivenCore next;
  next.now = outage.shard.now;
  LaneConfig config = lane_config(1);
  config.settings.in_flight_max = 1;
  config.kept = kept;
  for (const auto& [place, delivery] : outage.shard.live) next.keep(delivery);
  next.core.configure(config, next.now);
  next.core.nudge(endpoint_id(1));
  next.step();

  for (int n = 2; n <= 20; ++n) {
    ASSERT_EQ(next.sent.back(), n);
    next.end(n, 200);
  }
  EXPECT_FALSE(next.core.lane(endpoint_id(1))->guard.has_outage());
}

TEST(Release, GoesOnAfterAPauseAndTheRampThatFollows) {
  DrivenOutage outage;
  outage.open();
  outage.close();
  outage.configure({.in_flight_max = 1, .may_send = false});
  outage.shard.pass(minutes(1));
  EXPECT_TRUE(outage.shard.out.empty());
  outage.configure({.in_flight_max = 1});

  outage.end_ramp();

  EXPECT_EQ(outage.drain(200), numbers(1, 20));
}

TEST(Release, ReadsAgainWhenTheStoreWasAway) {
  DrivenOutage outage;
  outage.open();
  outage.close();
  outage.shard.mood = DrivenCore::StoreMood::Away;
  outage.shard.pass(seconds(6));
  outage.shard.mood = DrivenCore::StoreMood::Well;
  outage.shard.pass(seconds(2));

  EXPECT_EQ(outage.drain(200), numbers(1, 20));
}

TEST(Release, GoesOnWhileTheLaneWaitsForRoomAtItsAuthority) {
  DrivenOutage outage;
  DrivenCore& shard = outage.shard;
  outage.open();
  keep_failed(outage, 100, 139);
  outage.close();
  outage.end_ramp();  // 32 are released, up to 111.
  LaneConfig neighbour = lane_config(2);
  neighbour.authority = lane_config(1).authority;
  neighbour.settings = {.in_flight_max = 31, .is_guarded = false};
  shard.core.configure(neighbour, shard.now);
  for (int n = 500; n < 531; ++n) shard.accept(n, 2);
  for (int n = 200; n < 300; ++n) shard.accept(n);
  shard.step();
  ASSERT_EQ(shard.out_of(1) + shard.out_of(2), 32) << "the authority's cap";

  for (shard.end(1, 200); shard.sent.size() < 110; shard.end(shard.sent.back(), 200)) {
  }

  EXPECT_EQ(std::count(shard.sent.begin(), shard.sent.end(), 112), 1);
}

TEST(Release, IsLeftOutIfItIsSetSo) {
  DrivenOutage outage({.in_flight_max = 1, .releases_after_outage = false});
  outage.open();
  outage.close();
  outage.end_ramp();

  EXPECT_TRUE(outage.shard.out.empty());
  EXPECT_TRUE(outage.shard.release_loads.empty());
}

// The circuit is open, and all that waits is due in an hour.
class EarlyProbe : public testing::Test {
 protected:
  EarlyProbe() {
    outage_.open();
    due_ = outage_.due_of(1);
    outage_.shard.pass(seconds(19));
    outage_.shard.written.clear();
  }

  DrivenOutage outage_;
  WallTime due_;
};

TEST_F(EarlyProbe, ThatFailsIsRecordedButSpendsNothing) {
  ASSERT_EQ(outage_.shard.out.size(), 1U);
  outage_.shard.end(1, 500);

  const model::Settlement& settlement = outage_.shard.written.at(0);
  ASSERT_TRUE(settlement.attempt.has_value());
  EXPECT_EQ(settlement.attempt->number, 2);
  EXPECT_EQ(settlement.delivery.attempts_total, 2);
  EXPECT_EQ(settlement.delivery.progress.attempts, 1);
  EXPECT_EQ(settlement.delivery.due_at, due_);
  EXPECT_EQ(settlement.delivery.next->basis, NextBasis::Probe);
  EXPECT_EQ(settlement.delivery.next->nominal, hours(1));
}

TEST_F(EarlyProbe, MayFailMoreOftenThanThereAreAttempts) {
  for (int i = 0; i < 5; ++i) {
    outage_.shard.end_all(500);
    outage_.shard.pass(minutes(10));
    ASSERT_EQ(outage_.shard.out.size(), 1U) << i;
  }

  for (const model::Settlement& settlement : outage_.shard.written) {
    EXPECT_EQ(settlement.delivery.state, DeliveryState::Retrying);
    EXPECT_EQ(settlement.delivery.progress.attempts, 1);
  }
}

TEST_F(EarlyProbe, ThatIsAFinalAnswerEndsTheDelivery) {
  outage_.shard.end(1, 400);

  EXPECT_EQ(outage_.shard.settled(0).state, DeliveryState::Dead);
  EXPECT_EQ(outage_.circuit(), State::Closed);
}

TEST_F(EarlyProbe, WaitsForLongerIfTheReceiverAsksForIt) {
  model::AttemptResult busy = DrivenCore::answered(500);
  busy.retry_after = "7200";
  outage_.shard.end(1, busy);

  const model::Delivery& delivery = outage_.shard.settled(0);
  EXPECT_EQ(delivery.due_at, outage_.shard.now.wall + hours(2));
  EXPECT_EQ(delivery.next->basis, NextBasis::RetryAfter);
  EXPECT_EQ(delivery.progress.attempts, 1);
}

TEST(ProbeAfterAWish, GoesOnceTheReceiversWaitIsOverAlsoIfTheBackoffIsNot) {
  DrivenOutage outage;
  outage.open(20, "60");
  outage.shard.sent.clear();
  outage.shard.pass(seconds(60) - milliseconds(1));
  EXPECT_TRUE(outage.shard.sent.empty());

  outage.shard.pass(milliseconds(1));

  EXPECT_EQ(outage.shard.sent, (Numbers{1}));
}

TEST(ProbeAfterAWish, IsAnotherDeliveryWhoseReceiverAskedForNothing) {
  DrivenOutage outage;
  outage.open(3, "3000");
  outage.shard.sent.clear();

  outage.shard.pass(seconds(19));

  EXPECT_EQ(outage.shard.sent, (Numbers{4}));
}

TEST(ProbeAfterAWish, DoesNotWaitForTheBackoffOfOneThatWasToldToComeAtOnce) {
  DrivenOutage outage;
  outage.open(20, "0");
  outage.shard.sent.clear();

  outage.shard.pass(seconds(19));

  EXPECT_EQ(outage.shard.sent, (Numbers{1}));
}

TEST_F(EarlyProbe, ThatWeSpoiltIsDueWhenItWas) {
  outage_.shard.end(1, model::AttemptResult());
  outage_.shard.core.close_circuit(endpoint_id(1), outage_.shard.now);
  outage_.shard.step();

  outage_.shard.pass(seconds(4));

  EXPECT_TRUE(outage_.shard.out.empty());
}

}  // namespace
}  // namespace petrel::engine
