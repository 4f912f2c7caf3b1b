// That tallies say what a count of everything would say, for every kind of store.

#include <algorithm>
#include <map>

#include "base/random.h"
#include "harness.h"

namespace petrel::store {
namespace {

using policy::DeadReason;
using std::chrono::hours;
using std::chrono::minutes;

class TallyTest : public StoreTest {
 protected:
  EndpointTally tally() { return browse().tally(endpoint_).value(); }

  std::vector<HourTally> all_hours(EndpointId endpoint) {
    return browse().hours(endpoint, WallTime() + hours(1), kNoon + std::chrono::days(365)).value();
  }

  // What lists say.
  EndpointTally counted(EndpointId endpoint) {
    EndpointTally counted;
    const auto listed = browse().deliveries_of_endpoint(endpoint, {.limit = 100'000});
    for (const model::Delivery& delivery : listed->items) {
      if (delivery.state == model::DeliveryState::Pending) ++counted.live_fresh;
      if (delivery.state == model::DeliveryState::Retrying) ++counted.live_retry;
      if (delivery.state == model::DeliveryState::Dead) {
        ++counted.dead[static_cast<std::size_t>(*delivery.reason)];
      }
    }
    return counted;
  }

  std::vector<HourTally> counted_hours(EndpointId endpoint) {
    std::map<WallTime, HourTally> counted;
    const auto listed = browse().attempts_of_endpoint(endpoint, {}, {.limit = 100'000});
    for (const model::Attempt& attempt : listed->items) {
      const WallTime hour = hour_of(attempt.id.time());
      HourTally& tally = counted.try_emplace(hour, HourTally{hour}).first->second;
      ++(is_success(attempt.outcome) ? tally.success : tally.failed);
    }
    std::vector<HourTally> listed_hours;
    for (const auto& [hour, tally] : counted) listed_hours.push_back(tally);
    return listed_hours;
  }

  // A settlement whose attempt was made at this moment, also if that is before the last one's.
  model::Settlement at(model::Settlement settlement, WallTime moment) {
    settlement.attempt->id = AttemptId(Ksuid::make(moment, random_));
    return settlement;
  }

  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
  SeededSecureRandom random_{5};
};

TEST_P(TallyTest, AnEndpointThatNobodyKnowsHasNothing) {
  EXPECT_EQ(tally(), EndpointTally());
  EXPECT_TRUE(all_hours(endpoint_).empty());
}

TEST_P(TallyTest, FollowsADeliveryThroughItsStates) {
  const model::Delivery first = accepted(application_, {endpoint_}).deliveries[0];
  EXPECT_EQ(tally(), (EndpointTally{.live_fresh = 1}));

  const model::Settlement retry = make_.retrying(first, kNoon + hours(1));
  ASSERT_TRUE(settle(store(), {retry}).ok());
  EXPECT_EQ(tally(), (EndpointTally{.live_retry = 1}));

  model::Settlement death = make_.dead(retry.delivery);
  death.delivery.reason = DeadReason::Gone;
  ASSERT_TRUE(settle(store(), {death}).ok());
  EXPECT_EQ(tally().dead_of(DeadReason::Gone), 1U);
  EXPECT_EQ(tally().dead_total(), 1U);
  EXPECT_EQ(tally().live_retry, 0U);

  const model::Settlement replay = make_.replayed(death.delivery, kNoon);
  ASSERT_TRUE(settle(store(), {replay}).ok());
  EXPECT_EQ(tally(), (EndpointTally{.live_fresh = 1}));

  const model::Settlement cancelled = make_.ended_unsent(replay.delivery);
  ASSERT_TRUE(settle(store(), {cancelled}).ok());
  EXPECT_EQ(tally().dead_of(DeadReason::Cancelled), 1U);
  EXPECT_EQ(tally().dead_total(), 1U);
}

TEST_P(TallyTest, WhatHasNoEffectIsNotCounted) {
  const Acceptance given = accepted(application_, {endpoint_});
  ASSERT_TRUE(accept(store(), {given, given}).ok());
  const model::Settlement settlement = make_.delivered(given.deliveries[0]);
  ASSERT_TRUE(settle(store(), {settlement, settlement}).ok());
  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_EQ(tally(), EndpointTally());
  EXPECT_EQ(all_hours(endpoint_), (std::vector{HourTally{hour_of(kNoon), 1, 0}}));
}

TEST_P(TallyTest, CountsAttemptsByTheHourAlsoWhenOneComesLate) {
  const WallTime noon = hour_of(kNoon);
  const auto attempted = [&](WallTime moment, bool is_good) {
    const model::Delivery delivery = accepted(application_, {endpoint_}).deliveries[0];
    const auto settlement = is_good ? make_.delivered(delivery) : make_.dead(delivery);
    ASSERT_TRUE(settle(store(), {at(settlement, moment)}).ok());
  };
  attempted(noon + minutes(10), true);
  attempted(noon + hours(2), false);
  attempted(noon + minutes(20), false);
  attempted(noon + hours(1), true);
  attempted(noon + hours(2) + minutes(59), true);
  attempted(noon + hours(3), true);

  EXPECT_EQ(all_hours(endpoint_),
            (std::vector{HourTally{noon, 1, 1}, HourTally{noon + hours(1), 1, 0},
                         HourTally{noon + hours(2), 1, 1}, HourTally{noon + hours(3), 1, 0}}));
  EXPECT_EQ(browse().hours(endpoint_, noon + hours(1) + minutes(30), noon + hours(3)).value(),
            (std::vector{HourTally{noon + hours(1), 1, 0}, HourTally{noon + hours(2), 1, 1}}));
  EXPECT_EQ(browse().hours(endpoint_, noon + hours(3), noon + hours(4))->size(), 1U);
}

TEST_P(TallyTest, AnEndpointWithoutLiveDeliveriesHasNoQueue) {
  const model::Delivery delivery = accepted(application_, {endpoint_}).deliveries[0];
  EXPECT_EQ(browse().deepest(5), (std::vector{QueueDepth{endpoint_, 1, 0}}));

  ASSERT_TRUE(settle(store(), {make_.delivered(delivery)}).ok());
  EXPECT_EQ(browse().deepest(5), std::vector<QueueDepth>());
  EXPECT_EQ(browse().totals(), EndpointTally());
}

TEST_P(TallyTest, EqualsACountOfWhatIsStoredWhateverHappened) {
  Random random(11);
  std::vector<EndpointId> endpoints;
  for (int i = 0; i < 3; ++i) endpoints.push_back(make_.endpoint_id());
  std::vector<model::Delivery> deliveries;
  const auto draw = [&](const model::Delivery& before) {
    const WallTime moment = kNoon + minutes(random.below(600));
    if (!before.is_live()) return make_.replayed(before, moment);
    model::Settlement death = make_.dead(before, moment);
    death.delivery.reason = static_cast<DeadReason>(random.below(kDeadReasons));
    switch (random.below(4)) {
      case 0:
        return at(make_.delivered(before), moment);
      case 1:
        return at(death, moment);
      case 2:
        return make_.ended_unsent(before);
      default:
        return at(make_.retrying(before, moment), moment);
    }
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<Acceptance> batch;
    for (std::uint64_t left = random.below(4); left > 0; --left) {
      const WallTime moment = kNoon - std::chrono::days(random.below(30));
      batch.push_back(make_.acceptance(application_, endpoints));
      batch.back().message.id = MessageId(Ksuid::make(moment, random_));
      for (model::Delivery& delivery : batch.back().deliveries) {
        delivery.key.message = batch.back().message.id;
      }
      for (const model::Delivery& delivery : batch.back().deliveries) {
        deliveries.push_back(delivery);
      }
    }
    ASSERT_TRUE(accept(store(), batch).ok());
    std::vector<model::Settlement> settlements;
    for (model::Delivery& delivery : deliveries) {
      if (random.below(8) != 0) continue;
      settlements.push_back(draw(delivery));
      delivery = settlements.back().delivery;
    }
    ASSERT_TRUE(settle(store(), settlements).ok());
  }

  EndpointTally all;
  std::vector<QueueDepth> queues;
  for (const EndpointId& endpoint : endpoints) {
    const EndpointTally one = counted(endpoint);
    EXPECT_EQ(browse().tally(endpoint).value(), one);
    EXPECT_EQ(all_hours(endpoint), counted_hours(endpoint));
    all += one;
    queues.push_back({endpoint, one.live_fresh, one.live_retry});
    EXPECT_GT(counted(endpoint).dead_total(), 0U);
    EXPECT_GT(counted_hours(endpoint).size(), 5U);
  }
  EXPECT_EQ(browse().totals(), all);
  std::sort(queues.begin(), queues.end(), [](const QueueDepth& a, const QueueDepth& b) {
    return a.total() != b.total() ? a.total() > b.total() : a.endpoint < b.endpoint;
  });
  EXPECT_EQ(browse().deepest(endpoints.size() + 1), queues);
  queues.resize(1);
  EXPECT_EQ(browse().deepest(1), queues);
}

INSTANTIATE_TEST_SUITE_P(Every, TallyTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
