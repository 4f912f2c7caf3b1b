// How deliveries end without an answer, and what stops the give-up clock.

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "engine/core.h"
#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Numbers = std::vector<int>;

void configure(DrivenCore& shard, LaneConfig config) {
  shard.core.configure(std::move(config), shard.now);
}

TEST(Ending, ADeliveryWhosePayloadIsGoneIsCancelledWithoutAnAttempt) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.accept(2);
  shard.step();
  ASSERT_EQ(shard.sent, (Numbers{1}));

  shard.core.payload_gone(shard.out.begin()->first, shard.now);
  shard.out.clear();
  shard.step();

  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.written[0].attempt, std::nullopt);
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Dead);
  EXPECT_EQ(shard.settled(0).reason, DeadReason::Cancelled);
  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
}

TEST(Ending, DeletingAnEndpointCancelsAllThatWaits) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.keep_pending(1, 500);
  shard.keep(retrying(501, hours(5)));
  shard.core.nudge(endpoint_id(1));
  shard.step();

  LaneConfig config = lane_config(1);
  config.settings.may_send = false;
  config.is_deleted = true;
  configure(shard, config);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1}));
  EXPECT_EQ(shard.written.size(), 500U);  // All but the one that is out.
  for (const model::Settlement& each : shard.written) {
    EXPECT_EQ(each.delivery.reason, DeadReason::Cancelled);
  }

  shard.end(1, 500);
  EXPECT_TRUE(shard.live.empty());
}

TEST(Departure, IsRefusedWhenTheCircuitHasOpenedMeanwhile) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 30});
  for (int n = 1; n <= 10; ++n) shard.accept(n);
  shard.step();
  SendCommand late = shard.out.rbegin()->second;  // Its payload is still being loaded.
  const int late_message = DrivenCore::number_of(late.order.delivery.message);
  shard.out.erase(late.ticket);
  for (int n = 11; n <= 40; ++n) shard.accept(n);
  while (shard.core.lane(endpoint_id(1))->guard.breaker().state() ==
         lane::CircuitBreaker::State::Closed) {
    shard.end_all(500);
  }

  EXPECT_FALSE(shard.core.departs(late.ticket, late.order, shard.now));
  shard.step();

  EXPECT_EQ(shard.live.size(), 40U);  // It waits as before, and no attempt was spent on it.
  for (const model::Settlement& each : shard.written) {
    EXPECT_NE(each.delivery.key.message, message_id(late_message));
  }
}

TEST(Departure, StartsTheClockOfTheAttemptAnew) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.now = moment(seconds(1));
  SendCommand& send = shard.out.begin()->second;

  EXPECT_TRUE(shard.core.departs(send.ticket, send.order, shard.now));
  shard.now = moment(seconds(3));
  shard.end(1, 200);

  EXPECT_EQ(shard.written[0].attempt->started_at, kWallStart + seconds(1));
}

TEST(GiveUpClock, StandsStillWhileTheEndpointIsOff) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.step();
  shard.end(1, 500);
  LaneConfig config = lane_config(1);
  config.settings.may_send = false;
  configure(shard, config);
  shard.pass(hours(48));
  EXPECT_TRUE(shard.written[0].delivery.is_live());

  config.settings.may_send = true;
  config.held_total = hours(48);
  configure(shard, config);
  shard.step();

  EXPECT_EQ(shard.sent, (Numbers{1, 1}));
  shard.end(1, 500);
  EXPECT_EQ(shard.settled(1).state, DeliveryState::Retrying);
  EXPECT_EQ(shard.settled(1).progress.give_up_at, shard.settled(0).progress.give_up_at);
}

TEST(GiveUpClock, RunsOnAfterwards) {
  DrivenCore shard;
  LaneConfig config = lane_config(1);
  config.held_total = hours(48);
  configure(shard, config);
  shard.now.wall += hours(48);
  model::Delivery late = retrying(1);
  late.progress.give_up_at = kWallStart - seconds(1);
  shard.keep(late);
  shard.core.nudge(endpoint_id(1));

  shard.step();

  ASSERT_EQ(shard.written.size(), 1U);
  EXPECT_EQ(shard.settled(0).reason, DeadReason::Expired);
}

TEST(Pause, IsNotUndoneByAChangeThatWasMadeBeforeIt) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  for (int n = 1; n <= 3; ++n) shard.accept(n);
  shard.step();
  shard.end(1, 410);
  ASSERT_EQ(shard.pauses.size(), 1U);

  configure(shard, lane_config(1));  // Somebody's change of the description, say.
  shard.pass(seconds(1));
  EXPECT_EQ(shard.sent, (Numbers{1}));

  LaneConfig paused = lane_config(1);
  paused.settings.may_send = false;
  configure(shard, paused);          // Now the pause is on disk,
  configure(shard, lane_config(1));  // and a person has ended it.
  shard.step();
  EXPECT_EQ(shard.sent, (Numbers{1, 2}));
}

model::AttemptResult asking_for(int status, std::string directive) {
  model::AttemptResult result = DrivenCore::answered(status);
  result.webhook_delivery = std::move(directive);
  return result;
}

TEST(Pause, OnTheReceiversWishKeepsTheDeliveryForWhenItIsResumed) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.accept(2);
  shard.step();

  shard.end(1, asking_for(500, "disable"));

  ASSERT_EQ(shard.pauses.size(), 1U);
  EXPECT_EQ(shard.pauses[0].why, "the receiver asked for it (webhook-delivery: disable)");
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Retrying);
  EXPECT_EQ(shard.settled(0).progress, policy::Progress{});
  EXPECT_EQ(shard.settled(0).attempts_total, 1);
  ASSERT_TRUE(shard.written[0].attempt);
  shard.pass(hours(24 * 30));
  EXPECT_EQ(shard.sent, (Numbers{1}));

  LaneConfig config = lane_config(1);
  config.settings.may_send = false;
  configure(shard, config);
  config.settings.may_send = true;
  config.held_total = hours(24 * 30);
  configure(shard, config);
  shard.step();
  while (!shard.out.empty()) {
    shard.end_all(200);
    shard.pass(seconds(1));
  }

  EXPECT_EQ(shard.sent.size(), 3U);
  EXPECT_TRUE(shard.live.empty());
  for (std::size_t each = 1; each <= 2; ++each) {
    EXPECT_EQ(shard.settled(each).state, DeliveryState::Delivered);
  }
}

TEST(Ending, AReceiverCanAbortADelivery) {
  DrivenCore shard;
  shard.add_lane(1);
  shard.accept(1);
  shard.accept(2);
  shard.step();

  shard.end(1, asking_for(503, "abort-message"));
  shard.end(2, asking_for(200, "abort-message"));

  EXPECT_EQ(shard.settled(0).state, DeliveryState::Dead);
  EXPECT_EQ(shard.settled(0).reason, DeadReason::Cancelled);
  EXPECT_TRUE(shard.settled(0).is_aborted);
  EXPECT_EQ(shard.settled(1).state, DeliveryState::Delivered);
  EXPECT_TRUE(shard.pauses.empty());
}

TEST(Refusal, LeavesTheDeliveryAloneAndTheOthersGoOn) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.accept(2);
  shard.step();
  shard.mood = DrivenCore::StoreMood::Silent;
  const Ticket attempt = shard.out.begin()->first;
  shard.core.ended(attempt, DrivenCore::answered(500), shard.now);
  shard.out.clear();
  const Commands commands = shard.core.step(shard.now);
  ASSERT_EQ(commands.settlements.size(), 1U);

  shard.core.settled(commands.settlements[0].ticket, SettleAnswer::Refused, shard.now);
  shard.mood = DrivenCore::StoreMood::Well;
  shard.core.nudge(endpoint_id(1));
  shard.step();
  shard.pass(hours(1));

  EXPECT_EQ(shard.core.counts().refused, 1U);
  EXPECT_FALSE(shard.core.counts().is_store_away);
  EXPECT_EQ(std::count(shard.sent.begin(), shard.sent.end(), 1), 1);
}

// Ends its only attempt, and hands back the settlement, which the store has not answered.
SettleCommand unanswered_settlement(DrivenCore& shard, int status) {
  shard.mood = DrivenCore::StoreMood::Silent;
  const Ticket attempt = shard.out.begin()->first;
  shard.core.ended(attempt, DrivenCore::answered(status), shard.now);
  shard.out.clear();
  Commands commands = shard.core.step(shard.now);
  shard.mood = DrivenCore::StoreMood::Well;
  return std::move(commands.settlements.at(0));
}

TEST(Superseding, HasTheLaneReadTheDeliveryAgain) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.step();
  const SettleCommand failed = unanswered_settlement(shard, 500);
  // Somebody else has made it due in a minute, and not in ten seconds as the lane thinks.
  shard.live.clear();
  shard.keep(retrying(1, minutes(1)));

  shard.core.settled(failed.ticket, SettleAnswer::Superseded, shard.now);
  shard.step();

  shard.pass(seconds(59));
  EXPECT_EQ(shard.sent, std::vector({1}));
  shard.pass(seconds(1));
  EXPECT_EQ(shard.sent, std::vector({1, 1}));
  shard.end(1, 200);
  EXPECT_EQ(shard.settled(0).state, DeliveryState::Delivered);
}

TEST(Superseding, OfWhatIsGoneLeavesNothing) {
  DrivenCore shard;
  shard.add_lane(1, {.in_flight_max = 1});
  shard.accept(1);
  shard.step();
  const SettleCommand failed = unanswered_settlement(shard, 500);
  shard.live.clear();

  shard.core.settled(failed.ticket, SettleAnswer::Superseded, shard.now);
  shard.pass(hours(2));

  EXPECT_EQ(shard.sent, std::vector({1}));
  EXPECT_EQ(shard.core.counts().unsettled, 0U);
}

TEST(SharedRateOfLanes, DoesNotEndARamp) {
  DrivenCore shard;
  LaneConfig config = lane_config(1);
  config.shared_rate = std::make_shared<lane::SharedRate>(100);
  config.settings.may_send = false;
  configure(shard, config);
  config.settings.may_send = true;
  configure(shard, config);
  for (int n = 1; n <= 100; ++n) shard.accept(n);
  shard.step();
  for (int tick = 0; tick < 600; ++tick) {
    shard.end_all(200);
    shard.pass(milliseconds(10));
  }

  EXPECT_LE(shard.sent.size(), 9U);  // One each second for five seconds, then two.
}

TEST(SharedRateOfLanes, HoldsForAllOfThemTogetherAndInTurn) {
  DrivenCore shard;
  const auto rate = std::make_shared<lane::SharedRate>(10);
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    LaneConfig config = lane_config(endpoint);
    config.shared_rate = rate;
    configure(shard, config);
    for (int n = 0; n < 100; ++n) shard.accept(100 * endpoint + n, endpoint);
  }
  shard.step();
  for (int tick = 0; tick < 60; ++tick) {
    shard.pass(milliseconds(50));
    shard.end_all(200);
  }

  EXPECT_GE(shard.sent.size(), 29U);
  EXPECT_LE(shard.sent.size(), 32U);
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    const auto is_its = [&](int message) { return message / 100 == endpoint; };
    const auto count = std::count_if(shard.sent.begin(), shard.sent.end(), is_its);
    EXPECT_GE(count, 9) << endpoint;
    EXPECT_LE(count, 12) << endpoint;
  }
}

TEST(SharedRateOfLanes, KeepsItsDistanceBetweenAnyTwoAttempts) {
  DrivenCore shard;
  const auto rate = std::make_shared<lane::SharedRate>(5);
  for (int endpoint = 1; endpoint <= 2; ++endpoint) {
    LaneConfig config = lane_config(endpoint);
    config.shared_rate = rate;
    configure(shard, config);
    for (int n = 0; n < 10; ++n) shard.accept(100 * endpoint + n, endpoint);
  }
  shard.step();
  ASSERT_EQ(shard.sent.size(), 1U);

  shard.pass(milliseconds(199));
  EXPECT_EQ(shard.sent.size(), 1U);
  shard.pass(milliseconds(1));
  EXPECT_EQ(shard.sent.size(), 2U);
}

TEST(SharedRateOfLanes, KeepsItsDistanceAfterALoopThatWasLate) {
  DrivenCore shard;
  const auto rate = std::make_shared<lane::SharedRate>(1);
  for (int endpoint = 1; endpoint <= 3; ++endpoint) {
    LaneConfig config = lane_config(endpoint);
    config.shared_rate = rate;
    configure(shard, config);
    for (int n = 0; n < 10; ++n) shard.accept(100 * endpoint + n, endpoint);
  }
  shard.step();
  ASSERT_EQ(shard.sent.size(), 1U);

  shard.now = moment(shard.now.mono - kMonoStart + milliseconds(1'900));
  shard.step();
  ASSERT_EQ(shard.sent.size(), 2U);  // The second, 900 ms after its moment.

  shard.pass(milliseconds(999));
  EXPECT_EQ(shard.sent.size(), 2U);
  shard.pass(milliseconds(1));
  EXPECT_EQ(shard.sent.size(), 3U);
  shard.pass(milliseconds(999));
  EXPECT_EQ(shard.sent.size(), 3U);
  shard.pass(milliseconds(1));
  EXPECT_EQ(shard.sent.size(), 4U);
}

}  // namespace
}  // namespace petrel::engine
