#include "engine/core.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using StoreMood = DrivenCore::StoreMood;
using Numbers = std::vector<int>;

TEST(Core, AnAcceptedMessageIsSentAtOnceAndSettledWhenItIsAnswered) {
  DrivenCore shard;
  shard.add_lane(1);

  shard.accept(1);
  shard.step();

  ASSERT_EQ(shard.out.size(), 1U);
  const model::AttemptOrder& order = shard.out.begin()->second.order;
  EXPECT_EQ(order.delivery.message, message_id(1));
  EXPECT_EQ(order.started_at, kWallStart);
  EXPECT_EQ(order.timeout, seconds(15));

  shard.pass(seconds(1));
  shard.end(1, 200);

  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Delivered);
  EXPECT_EQ(shard.written[0].attempt->number, 1);
  EXPECT_EQ(shard.written[0].attempt->url, "https://host1:443/hook");
  EXPECT_EQ(shard.core.counts().out, 0);
  EXPECT_EQ(shard.core.counts().unsettled, 0U);
  EXPECT_GE(shard.wake_at, shard.now.mono + minutes(55));  // Only to leave.
}

TEST(Core, A4_AFailureIsWrittenBeforeItIsTriedAgainAndThenExactlyWhenItIsDue) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();

  shard.end(1, 500);

  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Retrying);
  EXPECT_EQ(shard.settled(0).due_at, kWallStart + seconds(10));
  EXPECT_EQ(shard.wake_at, kMonoStart + seconds(10));
  shard.pass(seconds(10) - microseconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1}));
  shard.pass(microseconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1, 1}));
  shard.end(1, 200);
  EXPECT_EQ(shard.settled(1).attempts_total, 2);
}

TEST(Core, A4_ARetryIsDueByTheMonotonicClockWhenTheWallClockIsSetBack) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, 500);

  shard.now = {kWallStart - hours(1), kMonoStart + seconds(10)};
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 1}));
}

TEST(Core, A3_TheLastAttemptEndsInTheDeadLetters) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();

  for (int i = 0; i < 5; ++i) {
    shard.end(1, 500);
    shard.pass(seconds(10));
  }

  EXPECT_EQ(shard.sent.size(), 5U);
  EXPECT_EQ(shard.settled(4).state, DeliveryState::Dead);
  EXPECT_EQ(shard.settled(4).reason, DeadReason::Exhausted);
}

TEST(Core, C9_AFaultOfOursWritesNothingAndIsTriedAgainAfterAMoment) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();

  shard.end(1, model::AttemptResult{});

  EXPECT_TRUE(shard.handed_out.empty());
  EXPECT_EQ(shard.core.counts().out, 0);
  shard.pass(seconds(1) - microseconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1}));
  shard.pass(microseconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1, 1}));
  shard.end(1, 200);
  EXPECT_EQ(shard.settled(0).attempts_total, 1);
  EXPECT_EQ(shard.settled(0).progress.attempts, 1);
}

TEST(Core, C9_AFaultOfOursWithOneDeliveryHoldsUpNoOther) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, model::AttemptResult{});

  shard.accept(2);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
}

TEST(Core, C9_WhileTheStoreIsAwaySettlementsAreHandedOutAgainAndNothingIsSent) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.mood = StoreMood::Away;

  shard.end(1, 200);
  shard.accept(2);
  shard.pass(seconds(4));

  EXPECT_EQ(shard.handed_out, (std::vector<Duration>{{},
                                                     milliseconds(50),
                                                     milliseconds(150),
                                                     milliseconds(350),
                                                     milliseconds(750),
                                                     milliseconds(1'550),
                                                     milliseconds(2'550),
                                                     milliseconds(3'550)}));
  EXPECT_TRUE(shard.core.counts().is_store_away);
  EXPECT_EQ(shard.sent, (Numbers{1}));

  shard.mood = StoreMood::Well;
  shard.pass(milliseconds(550));

  EXPECT_FALSE(shard.core.counts().is_store_away);
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Delivered);
  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
}

TEST(Core, AfterTheStoreWasAwayItsNextAbsenceBeginsWithAShortPause) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.accept(2);
  shard.step();
  shard.mood = StoreMood::Away;
  shard.end(1, 200);
  shard.pass(seconds(1));
  shard.mood = StoreMood::Well;
  shard.pass(seconds(1));
  ASSERT_EQ(shard.written.size(), 1U);

  shard.mood = StoreMood::Away;
  shard.end(2, 200);

  EXPECT_EQ(shard.wake_at, shard.now.mono + milliseconds(50));
}

TEST(Core, DoesNotWakeWhileTheStoreHasTheSettlementsAgain) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.mood = StoreMood::Away;
  shard.end(1, 200);

  shard.mood = StoreMood::Silent;
  shard.pass(milliseconds(50));
  ASSERT_EQ(shard.handed_out.size(), 2U);

  EXPECT_EQ(shard.wake_at, std::nullopt);
}

TEST(Core, FreshAndRetryAreTakenInTurn) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.keep_pending(1, 4);
  for (int n = 101; n <= 104; ++n) shard.keep(retrying(n));
  shard.core.nudge(endpoint_id(1));
  shard.step();

  while (!shard.out.empty()) shard.end_all(200);

  EXPECT_EQ(shard.sent, (Numbers{1, 101, 2, 102, 3, 103, 4, 104}));
}

TEST(Core, A6_TheReceiversWishHoldsTheWholeLane) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  model::AttemptResult result = DrivenCore::answered(503);
  result.retry_after = "60";

  shard.end(1, result);
  shard.accept(2);
  shard.pass(seconds(60) - milliseconds(1));

  EXPECT_EQ(shard.sent, (Numbers{1}));
  shard.pass(milliseconds(1));
  EXPECT_EQ(shard.sent.size(), 3U);
}

TEST(Core, C11_TheRateOfALaneHoldsForAllItsAttempts) {
  DrivenCore shard;
  shard.add_lane(1, {.throttle_rate = 4});
  for (int n = 1; n <= 10; ++n) shard.accept(n);

  shard.step();
  EXPECT_EQ(shard.sent.size(), 1U);
  shard.pass(seconds(1));

  EXPECT_EQ(shard.sent.size(), 5U);
}

TEST(Core, B6_NothingIsSentWhileTheCircuitIsOpenAndThenOneProbe) {
  DrivenCore shard;
  shard.add_lane(1);
  for (int n = 1; n <= 30; ++n) shard.accept(n);
  shard.step();
  for (int n = 1; n <= 20; ++n) shard.end(n, 500);
  shard.end_all(500);
  ASSERT_EQ(shard.core.lane(endpoint_id(1))->guard.breaker().why(), "20 failures in a row");
  const std::size_t before = shard.sent.size();

  shard.pass(seconds(15) - microseconds(1));
  EXPECT_EQ(shard.sent.size(), before);
  shard.pass(seconds(5));

  EXPECT_EQ(shard.sent.size(), before + 1);
  shard.end_all(200);
  EXPECT_EQ(shard.out.size(), 1U);  // D4: the ramp begins with one.
}

TEST(Core, C10_APausedLaneSendsNothingAndLoadsNothing) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.keep_pending(1, 100);
  shard.core.nudge(endpoint_id(1));

  shard.accept(101);
  shard.pass(hours(1));

  EXPECT_TRUE(shard.sent.empty());
  EXPECT_TRUE(shard.loads.empty());
  EXPECT_EQ(shard.wake_at, std::nullopt);
}

TEST(Core, D4_WhatWaitedDuringAPauseIsReleasedUnderTheRamp) {
  DrivenCore shard;
  shard.add_lane(1, {.may_send = false});
  shard.keep_pending(1, 100);
  shard.core.nudge(endpoint_id(1));
  shard.step();

  shard.add_lane(1);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
  shard.end_all(200);
  EXPECT_EQ(shard.sent, (Numbers{1}));
  shard.pass(seconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
}

TEST(Core, C10_A410PausesTheLaneAndSaysSoOnce) {
  DrivenCore shard;
  shard.add_lane(1);
  for (int n = 1; n <= 12; ++n) shard.accept(n);
  shard.step();
  ASSERT_EQ(shard.out.size(), 10U);

  shard.end_all(410);

  ASSERT_EQ(shard.pauses.size(), 1U);
  EXPECT_EQ(shard.pauses[0].endpoint, endpoint_id(1));
  EXPECT_EQ(shard.pauses[0].why, "the receiver answered 410");
  EXPECT_EQ(shard.settled(0).reason, DeadReason::Gone);
  shard.pass(hours(1));
  EXPECT_EQ(shard.sent.size(), 10U);
  EXPECT_EQ(shard.live.size(), 2U);
}

TEST(Core, C10_OverAHundredPermanentFailuresPauseTheLane) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 110; ++n) shard.accept(n);
  shard.step();

  while (!shard.out.empty()) shard.end_all(400);

  EXPECT_EQ(shard.sent.size(), 101U);
  ASSERT_EQ(shard.pauses.size(), 1U);
  EXPECT_EQ(shard.pauses[0].why, "over 100 permanent failures in a row");
}

TEST(Core, A1_OneWhoseTimeRanOutWhileItWaitedEndsWithoutAnAttempt) {
  DrivenCore shard;
  shard.add_lane(1);
  model::Delivery late = retrying(1);
  late.progress.give_up_at = kWallStart - seconds(1);
  shard.keep(late);
  shard.keep(retrying(2));
  shard.core.nudge(endpoint_id(1));

  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{2}));
  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.written[0].attempt, std::nullopt);
  EXPECT_EQ(shard.settled(0).reason, DeadReason::Expired);
  EXPECT_EQ(shard.live.size(), 1U);
}

TEST(Core, KeepsOnlyAWindowInMemoryAndSendsEachOnce) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.keep_pending(1, 10'000);
  shard.core.nudge(endpoint_id(1));
  shard.step();

  const LaneState& lane = *shard.core.lane(endpoint_id(1));
  while (!shard.out.empty()) {
    ASSERT_LE(lane.queues[0].size() + lane.queues[1].size(), 2 * DueQueue::kWindowMax);
    ASSERT_LE(shard.out.size(), 10U);
    shard.end_all(200);
  }

  EXPECT_EQ(shard.sent.size(), 10'000U);
  EXPECT_EQ(std::set<int>(shard.sent.begin(), shard.sent.end()).size(), 10'000U);
  EXPECT_TRUE(shard.live.empty());
  EXPECT_TRUE(lane.busy.empty());
}

TEST(Core, A4_WhatIsOutIsNotLoadedASecondTime) {
  DrivenCore shard;
  shard.add_lane(1);
  for (int n = 1; n <= 5; ++n) shard.accept(n);
  shard.step();
  ASSERT_EQ(shard.out.size(), 5U);

  shard.core.nudge(endpoint_id(1));
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 2, 3, 4, 5}));
}

TEST(Core, A4_AMessageThatWasLoadedBeforeItWasAnnouncedIsSentOnce) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.keep(pending(1));
  shard.core.nudge(endpoint_id(1));
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{1}));

  shard.accept(1);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
}

TEST(Core, A4_AnAnnouncementThatComesAfterItsDeliveryWasDoneSendsNothing) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.keep(pending(1));
  shard.sequence = 7;
  shard.core.nudge(endpoint_id(1));
  shard.step();
  shard.end(1, 200);
  ASSERT_EQ(shard.sent, (Numbers{1}));

  shard.core.accepted({.delivery = pending(1), .payload = nullptr, .sequence = 7}, shard.now);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
}

TEST(Core, ALoadThatFailedIsTriedAgainAfterAMomentAndDelaysNoRetry) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.keep(retrying(1, milliseconds(200)));
  shard.core.nudge(endpoint_id(1));
  shard.step();  // The retry is in memory, due soon.
  shard.mood = StoreMood::Away;
  for (int n = 2; n <= 100; ++n) shard.keep(pending(n));
  shard.core.loaded(shard.loads.front(), unavailable("away"), shard.now);
  shard.step();

  shard.pass(milliseconds(200));

  EXPECT_EQ(shard.sent, (Numbers{1}));
}

TEST(Core, ALoadThatFailedIsPutAgainAfterAMoment) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.keep(pending(1));
  shard.mood = StoreMood::Away;
  shard.core.nudge(endpoint_id(1));

  shard.step();

  EXPECT_EQ(shard.wake_at, kMonoStart + milliseconds(500));
  shard.mood = StoreMood::Well;
  shard.pass(milliseconds(500));
  EXPECT_EQ(shard.sent, (Numbers{1}));
}

TEST(Core, PayloadsBeyondTheBudgetAreLeftToBeLoaded) {
  DrivenCore shard({.payload_bytes_max = 10});
  shard.add_lane(1);
  const auto payload = std::make_shared<const std::string>("123456");

  shard.accept(1, 1, payload);
  shard.accept(2, 1, payload);
  shard.step();

  EXPECT_EQ(*shard.out.begin()->second.order.payload, "123456");
  EXPECT_EQ(std::next(shard.out.begin())->second.order.payload, nullptr);

  shard.end_all(200);
  shard.accept(3, 1, payload);
  shard.step();
  EXPECT_NE(shard.out.begin()->second.order.payload, nullptr);
}

TEST(Core, WhileDrainingNothingStartsAndWhatIsOutMayEnd) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.accept(2);
  shard.step();

  shard.core.drain();
  shard.end(1, 200);
  shard.pass(hours(1));

  EXPECT_EQ(shard.sent, (Numbers{1}));
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Delivered);
  EXPECT_EQ(shard.core.counts().unsettled, 0U);
  EXPECT_EQ(shard.wake_at, std::nullopt);
}

}  // namespace
}  // namespace petrel::engine
