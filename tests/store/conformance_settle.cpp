// What settle() and load_due() mean, for every kind of store.

#include <algorithm>

#include "harness.h"

namespace petrel::store {
namespace {

using std::chrono::seconds;

class SettleTest : public StoreTest {
 protected:
  model::Delivery accepted_delivery() { return accepted(application_, {endpoint_}).deliveries[0]; }

  std::vector<model::Delivery> due(DueClass queue) {
    return load_due(store(), {.endpoint = endpoint_, .queue = queue})->deliveries;
  }

  std::vector<model::Delivery> dead() {
    return browse().dead_letters({.application = application_})->items;
  }

  std::vector<model::Attempt> attempts(const model::Delivery& delivery) {
    return browse().attempts_of_message(delivery.key.message, {}, {})->items;
  }

  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

TEST_P(SettleTest, WhatWasAcceptedIsDueAsFresh) {
  const model::Delivery delivery = accepted_delivery();

  EXPECT_EQ(due(DueClass::Fresh), std::vector{delivery});
  EXPECT_TRUE(due(DueClass::Retry).empty());
}

TEST_P(SettleTest, ASuccessEndsIt) {
  const model::Settlement settlement = make_.delivered(accepted_delivery());

  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_EQ(browse().delivery(settlement.delivery.key).value(), settlement.delivery);
  EXPECT_TRUE(due(DueClass::Fresh).empty());
  EXPECT_TRUE(due(DueClass::Retry).empty());
  EXPECT_TRUE(dead().empty());
  EXPECT_EQ(attempts(settlement.delivery), std::vector{*settlement.attempt});
}

TEST_P(SettleTest, ARetryMovesItToTheOtherQueue) {
  const model::Settlement settlement = make_.retrying(accepted_delivery(), kNoon + seconds(30));

  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_TRUE(due(DueClass::Fresh).empty());
  EXPECT_EQ(due(DueClass::Retry), std::vector{settlement.delivery});
}

TEST_P(SettleTest, ASecondRetryMovesItWithinItsQueue) {
  const model::Settlement first = make_.retrying(accepted_delivery(), kNoon + seconds(30));
  ASSERT_TRUE(settle(store(), {first}).ok());
  const model::Settlement second = make_.retrying(first.delivery, kNoon + seconds(90));

  ASSERT_TRUE(settle(store(), {second}).ok());

  EXPECT_EQ(due(DueClass::Retry), std::vector{second.delivery});
  EXPECT_EQ(attempts(second.delivery).size(), 2U);
}

TEST_P(SettleTest, GivingUpPutsItAmongTheDeadLetters) {
  const model::Settlement settlement = make_.dead(accepted_delivery());

  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_TRUE(due(DueClass::Fresh).empty());
  EXPECT_EQ(dead(), std::vector{settlement.delivery});
  EXPECT_EQ(browse().count()->deliveries_dead, 1U);
}

TEST_P(SettleTest, ReplayBringsItBackFromTheDeadLetters) {
  const model::Settlement death = make_.dead(accepted_delivery());
  ASSERT_TRUE(settle(store(), {death}).ok());
  const model::Settlement replay = make_.replayed(death.delivery, kNoon + seconds(5));

  ASSERT_TRUE(settle(store(), {replay}).ok());

  EXPECT_TRUE(dead().empty());
  EXPECT_EQ(due(DueClass::Fresh), std::vector{replay.delivery});
  EXPECT_EQ(attempts(replay.delivery).size(), 1U);
}

TEST_P(SettleTest, ItMayEndWithoutAnAttempt) {
  const model::Settlement settlement = make_.ended_unsent(accepted_delivery());

  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_EQ(dead().size(), 1U);
  EXPECT_TRUE(attempts(settlement.delivery).empty());
}

TEST_P(SettleTest, TheSecondSettlementOfTheSameHasNoEffect) {
  const model::Delivery delivery = accepted_delivery();
  const model::Settlement first = make_.retrying(delivery, kNoon + seconds(30));
  const model::Settlement second = make_.delivered(delivery);
  ASSERT_TRUE(settle(store(), {first}).ok());

  ASSERT_TRUE(settle(store(), {second}).ok());

  EXPECT_EQ(browse().delivery(delivery.key).value(), first.delivery);
  EXPECT_EQ(due(DueClass::Retry), std::vector{first.delivery});
  EXPECT_EQ(attempts(delivery), std::vector{*first.attempt});
}

TEST_P(SettleTest, TheSecondSettlementInOneBatchHasNoEffect) {
  const model::Delivery delivery = accepted_delivery();
  const model::Settlement first = make_.retrying(delivery, kNoon + seconds(30));
  const model::Settlement second = make_.dead(delivery);

  ASSERT_TRUE(settle(store(), {first, second}).ok());

  EXPECT_EQ(browse().delivery(delivery.key).value(), first.delivery);
  EXPECT_TRUE(dead().empty());
  EXPECT_EQ(attempts(delivery).size(), 1U);
}

TEST_P(SettleTest, OneBatchMayCarryItsWholeHistory) {
  const model::Settlement retry = make_.retrying(accepted_delivery(), kNoon + seconds(30));
  const model::Settlement death = make_.dead(retry.delivery);
  const model::Settlement replay = make_.replayed(death.delivery, kNoon + seconds(60));
  const model::Settlement success = make_.delivered(replay.delivery);

  ASSERT_TRUE(settle(store(), {retry, death, replay, success}).ok());

  EXPECT_EQ(browse().delivery(success.delivery.key).value(), success.delivery);
  EXPECT_TRUE(due(DueClass::Fresh).empty());
  EXPECT_TRUE(due(DueClass::Retry).empty());
  EXPECT_TRUE(dead().empty());
  EXPECT_EQ(attempts(success.delivery).size(), 3U);
}

TEST_P(SettleTest, ASettlementOfWhatIsNotThereHasNoEffect) {
  const Acceptance never = make_.acceptance(application_, {endpoint_});

  ASSERT_TRUE(settle(store(), {make_.delivered(never.deliveries[0])}).ok());

  EXPECT_FALSE(browse().delivery(never.deliveries[0].key).ok());
  EXPECT_TRUE(attempts(never.deliveries[0]).empty());
}

TEST_P(SettleTest, TheQueueIsInTheOrderOfDueTimesThenMessages) {
  std::vector<model::Settlement> retries;
  for (const int delay : {50, 10, 30, 10}) {
    retries.push_back(make_.retrying(accepted_delivery(), kNoon + seconds(delay)));
  }
  ASSERT_TRUE(settle(store(), retries).ok());

  const std::vector<model::Delivery> queue = due(DueClass::Retry);

  ASSERT_EQ(queue.size(), 4U);
  EXPECT_EQ(queue[0], retries[1].delivery);
  EXPECT_EQ(queue[1], retries[3].delivery);
  EXPECT_EQ(queue[2], retries[2].delivery);
  EXPECT_EQ(queue[3], retries[0].delivery);
}

TEST_P(SettleTest, ALoadGoesOnBehindAPosition) {
  std::vector<model::Delivery> all;
  for (int i = 0; i < 10; ++i) all.push_back(accepted_delivery());

  std::vector<model::Delivery> loaded;
  DueQuery query{.endpoint = endpoint_, .limit = 4};
  for (const bool expects_more : {true, true, false}) {
    const Result<DuePage> page = load_due(store(), query);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->has_more, expects_more);
    loaded.insert(loaded.end(), page->deliveries.begin(), page->deliveries.end());
    query.after = DuePosition{loaded.back().due_at, loaded.back().key.message};
  }

  EXPECT_EQ(loaded, all);
}

TEST_P(SettleTest, APositionNeedNotBeInTheQueueAnyMore) {
  const model::Delivery first = accepted_delivery();
  const model::Delivery second = accepted_delivery();
  ASSERT_TRUE(settle(store(), {make_.delivered(first)}).ok());

  const Result<DuePage> page = load_due(
      store(), {.endpoint = endpoint_, .after = DuePosition{first.due_at, first.key.message}});

  EXPECT_EQ(page->deliveries, std::vector{second});
  EXPECT_FALSE(page->has_more);
}

TEST_P(SettleTest, ALoadOfExactlyWhatIsThereHasNoMore) {
  accepted_delivery();
  accepted_delivery();

  const Result<DuePage> page = load_due(store(), {.endpoint = endpoint_, .limit = 2});

  EXPECT_EQ(page->deliveries.size(), 2U);
  EXPECT_FALSE(page->has_more);
}

TEST_P(SettleTest, QueuesOfEndpointsAreSeparate) {
  const EndpointId other = make_.endpoint_id();
  const Acceptance both = accepted(application_, {endpoint_, other});
  ASSERT_TRUE(settle(store(), {make_.delivered(both.deliveries[0])}).ok());

  EXPECT_TRUE(due(DueClass::Fresh).empty());
  EXPECT_EQ(load_due(store(), {.endpoint = other})->deliveries, std::vector{both.deliveries[1]});
}

TEST_P(SettleTest, NamesTheEndpointsThatHaveLiveDeliveries) {
  std::vector<EndpointId> endpoints;
  for (int i = 0; i < 5; ++i) endpoints.push_back(make_.endpoint_id());
  const Acceptance first = accepted(application_, endpoints);
  accepted(application_, {endpoints[1], endpoints[4]});
  ASSERT_TRUE(settle(store(), {make_.delivered(first.deliveries[0]),
                               make_.retrying(first.deliveries[2], kNoon + seconds(9)),
                               make_.dead(first.deliveries[3])})
                  .ok());

  EXPECT_EQ(store().endpoints_with_live().value(),
            (std::vector{endpoints[1], endpoints[2], endpoints[4]}));
}

TEST_P(SettleTest, ManyWaitingDeliveriesArePagedThrough) {
  constexpr int kMany = 10'000;
  std::vector<Acceptance> batch;
  for (int i = 0; i < kMany; ++i) batch.push_back(make_.acceptance(application_, {endpoint_}));
  ASSERT_TRUE(accept(store(), batch).ok());

  std::size_t seen = 0;
  DueQuery query{.endpoint = endpoint_, .limit = 500};
  bool has_more = true;
  while (has_more) {
    const Result<DuePage> page = load_due(store(), query);
    ASSERT_TRUE(page.ok());
    for (const model::Delivery& delivery : page->deliveries) {
      ASSERT_EQ(delivery.key.message, batch[seen].message.id);
      ++seen;
    }
    has_more = page->has_more;
    query.after = DuePosition{page->deliveries.back().due_at, page->deliveries.back().key.message};
  }

  EXPECT_EQ(seen, batch.size());
}

TEST_P(SettleTest, WhatIsKeptOfALaneGoesWithTheSettlement) {
  const EndpointId other = make_.endpoint_id();
  const Acceptance first = accepted(application_, {endpoint_, other});
  model::Settlement one = make_.retrying(first.deliveries[0], kNoon + seconds(9));
  one.lane = "open";
  model::Settlement two = make_.retrying(first.deliveries[1], kNoon + seconds(9));
  two.lane = "ramping";
  ASSERT_TRUE(settle(store(), {one, two}).ok());
  Browse::KeptLanes lanes = browse().kept_lanes().value();
  std::sort(lanes.begin(), lanes.end(),
            [](const auto& left, const auto& right) { return left.second < right.second; });
  EXPECT_EQ(lanes, (Browse::KeptLanes{{endpoint_, "open"}, {other, "ramping"}}));

  model::Settlement end = make_.delivered(one.delivery);
  end.lane = "";
  ASSERT_TRUE(settle(store(), {end, make_.delivered(two.delivery)}).ok());
  EXPECT_EQ(browse().kept_lanes().value(), (Browse::KeptLanes{{other, "ramping"}}));
}

TEST_P(SettleTest, ASettlementWithoutEffectLeavesTheLaneAlone) {
  const Acceptance first = accepted(application_, {endpoint_});
  const model::Settlement done = make_.delivered(first.deliveries[0]);
  ASSERT_TRUE(settle(store(), {done}).ok());
  model::Settlement late = make_.retrying(first.deliveries[0], kNoon + seconds(9));
  late.lane = "open";
  ASSERT_TRUE(settle(store(), {late}).ok());
  EXPECT_TRUE(browse().kept_lanes()->empty());
}

TEST_P(SettleTest, WhatIsKeptOfALaneCanBeWrittenByItself) {
  const Acceptance first = accepted(application_, {endpoint_});
  model::Settlement one = make_.retrying(first.deliveries[0], kNoon + seconds(9));
  one.lane = "open";
  ASSERT_TRUE(settle(store(), {one}).ok());

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {KeepLane{endpoint_, "closed"}}}).ok());
  EXPECT_EQ(browse().kept_lanes().value(), (Browse::KeptLanes{{endpoint_, "closed"}}));

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {KeepLane{endpoint_, ""}}}).ok());
  EXPECT_TRUE(browse().kept_lanes()->empty());
}

TEST_P(SettleTest, SuspectsAreKeptReplacedAndForgotten) {
  const Acceptance first = accepted(application_, {endpoint_});
  const Acceptance second = accepted(application_, {endpoint_});
  const auto suspect_of = [&](const Acceptance& of) {
    return model::Suspect{.delivery = of.deliveries[0].key,
                          .application = application_,
                          .crashes = 1,
                          .life = ~std::uint64_t{0},
                          .crashed_at = kNoon,
                          .version = "0.1.0"};
  };
  const auto keep = [&](const model::Suspect& suspect) {
    return change(store(), ChangeSet{.changes = {KeepSuspect{suspect.delivery, suspect}}}).ok();
  };
  EXPECT_TRUE(browse().suspects()->empty());
  model::Suspect one = suspect_of(first);
  const model::Suspect other = suspect_of(second);
  ASSERT_TRUE(keep(one));
  ASSERT_TRUE(keep(other));
  one.crashes = 3;
  one.attempts_total = 4;
  one.held = model::Suspect::Held{kNoon + seconds(1), kNoon - seconds(1)};
  ASSERT_TRUE(keep(one));
  EXPECT_EQ(browse().suspects().value(), (std::vector{one, other}));

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {KeepSuspect{one.delivery}}}).ok());
  ASSERT_TRUE(change(store(), ChangeSet{.changes = {KeepSuspect{one.delivery}}}).ok());
  EXPECT_EQ(browse().suspects().value(), std::vector{other});
}

INSTANTIATE_TEST_SUITE_P(Every, SettleTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
