// What every store drops and what it keeps when it is told to purge.

#include <algorithm>

#include "harness.h"

namespace petrel::store {
namespace {

using model::Retention;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

class PurgeTest : public StoreTest {
 protected:
  // A whole sweep.
  Purged purge(std::size_t messages_max = 128) {
    Purged all;
    PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules_),
                     .messages_max = messages_max};
    for (int step = 0; step < 10'000; ++step) {
      const Result<Purged> purged = petrel::store::purge(store(), order);
      EXPECT_TRUE(purged.ok()) << purged.error().text();
      if (!purged.ok()) return all;
      all.messages += purged->messages;
      all.payloads += purged->payloads;
      all.payload_bytes += purged->payload_bytes;
      all.deliveries += purged->deliveries;
      all.dead_letters += purged->dead_letters;
      all.attempts += purged->attempts;
      if (!purged->next) return all;
      order.from = purged->next;
    }
    ADD_FAILURE() << "the sweep does not end";
    return all;
  }

  void keep_for(Duration period) { rules_.others = {period, period, period, period}; }

  // Accepted now.
  Acceptance accept_one(const std::vector<EndpointId>& endpoints, ApplicationId application) {
    const Acceptance made = make_.acceptance(application, endpoints, clock_.wall());
    EXPECT_TRUE(accept(store(), {made}).ok());
    return made;
  }
  Acceptance accept_one() { return accept_one({endpoint_}, application_); }

  // Settled now.
  void settle_now(model::Settlement settlement) {
    settlement.delivery.updated_at = clock_.wall();
    if (settlement.attempt) settlement.attempt->id = AttemptId(make_.ksuid(clock_.wall()));
    EXPECT_TRUE(settle(store(), {std::move(settlement)}).ok());
  }

  model::Delivery stored(const Acceptance& acceptance) {
    return *browse().delivery(acceptance.deliveries[0].key);
  }

  bool has_message(const Acceptance& acceptance) {
    return browse().message(acceptance.message.application, acceptance.message.id).ok();
  }
  bool has_payload(const Acceptance& acceptance) {
    return *browse().payload(acceptance.message.id) != nullptr;
  }

  // All that could name a message that is gone.
  void expect_no_trace(const Acceptance& acceptance) {
    const model::Message& message = acceptance.message;
    EXPECT_FALSE(has_message(acceptance));
    EXPECT_FALSE(has_payload(acceptance));
    EXPECT_TRUE(browse().deliveries_of_message(message.id)->empty());
    EXPECT_TRUE(browse().attempts_of_message(message.id, {}, {})->items.empty());
    for (const model::Delivery& delivery : acceptance.deliveries) {
      EXPECT_EQ(browse().delivery(delivery.key).error().kind, ErrorKind::NotFound);
      const EndpointId endpoint = delivery.key.endpoint;
      for (const auto& each : browse().deliveries_of_endpoint(endpoint, {.limit = 1000})->items) {
        EXPECT_NE(each.key.message, message.id);
      }
      for (const auto& each : browse().attempts_of_endpoint(endpoint, {}, {.limit = 1000})->items) {
        EXPECT_NE(each.delivery.message, message.id);
      }
    }
    for (const auto& each :
         browse().dead_letters({.application = message.application, .limit = 1000})->items) {
      EXPECT_NE(each.key.message, message.id);
    }
    for (const auto& each : browse().messages(message.application, {.limit = 1000})->items) {
      EXPECT_NE(each.id, message.id);
    }
  }

  RetentionRules rules_;
  ApplicationId application_ = make_.application_id();
  EndpointId endpoint_ = make_.endpoint_id();
};

class PurgePeriodTest : public PurgeTest {
 protected:
  void a_message_is_kept_for(Duration period) {
    keep_for(period);
    const Acceptance delivered = accept_one();
    settle_now(make_.delivered(delivered.deliveries[0]));
    const Acceptance dead = accept_one();
    settle_now(make_.dead(dead.deliveries[0], clock_.wall()));
    const Acceptance live = accept_one();
    const Acceptance for_nobody = accept_one({}, application_);

    clock_.pass(period - minutes(1));
    EXPECT_FALSE(purge().is_anything());
    EXPECT_TRUE(has_payload(delivered) && has_payload(dead) && has_payload(for_nobody));

    clock_.pass(minutes(1));
    const Purged purged = purge();

    EXPECT_EQ(purged.messages, 3U);
    EXPECT_EQ(purged.payloads, 3U);
    EXPECT_EQ(purged.deliveries, 2U);
    EXPECT_EQ(purged.dead_letters, 1U);
    EXPECT_EQ(purged.attempts, 2U);
    for (const Acceptance& gone : {delivered, dead, for_nobody}) expect_no_trace(gone);
    EXPECT_EQ(*browse().payload(live.message.id).value(), *live.payload);
    EXPECT_EQ(load_due(store(), {.endpoint = endpoint_})->deliveries, live.deliveries);
    EXPECT_EQ(browse().tally(endpoint_).value(), EndpointTally{.live_fresh = 1});
    EXPECT_FALSE(purge().is_anything());
  }
};

TEST_P(PurgePeriodTest, OfAnHour) { a_message_is_kept_for(hours(1)); }
TEST_P(PurgePeriodTest, OfThreeDays) { a_message_is_kept_for(days(3)); }
TEST_P(PurgePeriodTest, OfThirtyDays) { a_message_is_kept_for(days(30)); }

TEST_P(PurgeTest, WhatEndsLateIsKeptForAWholePeriodFromThen) {
  keep_for(hours(1));
  const Acceptance late = accept_one();
  for (int hour = 0; hour < 200; ++hour) {
    clock_.pass(hours(1));
    EXPECT_FALSE(purge().is_anything());
  }
  settle_now(make_.dead(late.deliveries[0], clock_.wall()));

  for (int minute = 0; minute < 59; ++minute) {
    clock_.pass(minutes(1));
    EXPECT_FALSE(purge().is_anything());
  }
  EXPECT_EQ(*browse().payload(late.message.id).value(), *late.payload);

  clock_.pass(minutes(1));
  EXPECT_EQ(purge().messages, 1U);
  expect_no_trace(late);
}

TEST_P(PurgeTest, EachApplicationHasItsOwnPeriods) {
  keep_for(days(30));
  const ApplicationId short_one = make_.application_id();
  const ApplicationId long_one = make_.application_id();
  rules_.own[short_one] = {days(3), days(3), days(3), days(3)};
  rules_.own[long_one] = {days(90), days(90), days(90), days(90)};
  const Acceptance of_short = accept_one({}, short_one);
  const Acceptance of_long = accept_one({}, long_one);
  const Acceptance of_other = accept_one({}, application_);

  clock_.pass(days(3));
  EXPECT_EQ(purge().messages, 1U);
  EXPECT_TRUE(!has_message(of_short) && has_message(of_other) && has_message(of_long));

  clock_.pass(days(27));
  EXPECT_EQ(purge().messages, 1U);
  EXPECT_TRUE(!has_message(of_other) && has_message(of_long));

  clock_.pass(days(60));
  EXPECT_EQ(purge().messages, 1U);
  EXPECT_FALSE(has_message(of_long));
}

TEST_P(PurgeTest, EachKindGoesAtItsOwnTime) {
  rules_.others = {
      .ended = days(30), .payloads = days(3), .attempts = days(7), .dead_letters = days(90)};
  const Acceptance delivered = accept_one();
  settle_now(make_.delivered(delivered.deliveries[0]));
  const Acceptance dead = accept_one();
  settle_now(make_.dead(dead.deliveries[0], clock_.wall()));

  clock_.pass(days(3));
  Purged purged = purge();
  EXPECT_EQ(purged.payloads, 1U);
  EXPECT_EQ(purged.messages + purged.attempts + purged.deliveries, 0U);
  EXPECT_FALSE(has_payload(delivered));
  EXPECT_TRUE(has_payload(dead));
  EXPECT_EQ(browse().message(application_, delivered.message.id).value(), delivered.message);
  EXPECT_EQ(browse().deliveries_of_message(delivered.message.id)->size(), 1U);

  clock_.pass(days(4));
  purged = purge();
  EXPECT_EQ(purged.attempts, 2U);
  EXPECT_EQ(purged.messages + purged.payloads + purged.deliveries, 0U);

  clock_.pass(days(23));
  purged = purge();
  EXPECT_EQ(purged.messages, 1U);
  expect_no_trace(delivered);
  EXPECT_TRUE(has_payload(dead));

  clock_.pass(days(60));
  purged = purge();
  EXPECT_EQ(purged.dead_letters, 1U);
  EXPECT_EQ(purged.messages, 1U);
  expect_no_trace(dead);
  EXPECT_EQ(browse().tally(endpoint_).value(), EndpointTally());
}

TEST_P(PurgeTest, ADeadLetterGoesBeforeItsMessageAndLeavesItsNumber) {
  rules_.others = {days(30), days(30), days(30), days(3)};
  const EndpointId other = make_.endpoint_id();
  const Acceptance made = accept_one({endpoint_, other}, application_);
  settle_now(make_.dead(made.deliveries[0], clock_.wall()));
  settle_now(make_.delivered(made.deliveries[1]));
  EXPECT_EQ(browse().tally(endpoint_)->dead_total(), 1U);

  clock_.pass(days(3));
  EXPECT_EQ(purge().dead_letters, 1U);

  EXPECT_EQ(browse().tally(endpoint_)->dead_total(), 0U);
  EXPECT_TRUE(browse().dead_letters({.application = application_})->items.empty());
  EXPECT_EQ(browse().deliveries_of_message(made.message.id)->size(), 1U);
  EXPECT_TRUE(has_payload(made));
}

TEST_P(PurgeTest, WhatIsReplayedWhileItIsKeptKeepsItsPayload) {
  keep_for(hours(1));
  const Acceptance dead = accept_one();
  settle_now(make_.dead(dead.deliveries[0], clock_.wall()));
  clock_.pass(minutes(59));
  settle_now(make_.replayed(stored(dead), clock_.wall()));

  clock_.pass(days(40));

  EXPECT_EQ(purge().messages, 0U);
  EXPECT_EQ(*load_payloads(store(), {dead.message.id})->front().bytes, *dead.payload);
}

TEST_P(PurgeTest, AShorterPeriodHoldsForWhatIsThereAlready) {
  keep_for(days(90));
  std::vector<Acceptance> all;
  for (int day = 0; day < 10; ++day) {
    all.push_back(accept_one());
    settle_now(make_.delivered(all.back().deliveries[0]));
    clock_.pass(days(1));
  }
  rules_.others.payloads = days(2);
  EXPECT_EQ(purge().payloads, 9U);

  keep_for(days(5));
  EXPECT_EQ(purge().messages, 6U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(has_message(all[i]), i >= 6) << i;
}

TEST_P(PurgeTest, ALongerPeriodHoldsForWhatIsThereStill) {
  keep_for(days(3));
  const Acceptance made = accept_one();
  settle_now(make_.delivered(made.deliveries[0]));
  clock_.pass(days(2));
  EXPECT_FALSE(purge().is_anything());
  keep_for(days(30));
  clock_.pass(days(10));
  EXPECT_FALSE(purge().is_anything());
  EXPECT_TRUE(has_payload(made));
}

TEST_P(PurgeTest, APayloadWithItsOwnPeriodGoesThenUnlessItIsWanted) {
  keep_for(days(30));
  const auto own = [&] {
    Acceptance made = make_.acceptance(application_, {endpoint_}, clock_.wall());
    made.message.payload_expires_at = clock_.wall() + hours(2);
    EXPECT_TRUE(accept(store(), {made}).ok());
    return made;
  };
  const Acceptance delivered = own();
  settle_now(make_.delivered(delivered.deliveries[0]));
  const Acceptance dead = own();
  settle_now(make_.dead(dead.deliveries[0], clock_.wall()));
  const Acceptance live = own();
  EXPECT_FALSE(purge().is_anything());

  clock_.pass(hours(2));
  EXPECT_FALSE(has_payload(delivered)) << "also before the purge comes by";
  EXPECT_EQ(purge().payloads, 1U);

  EXPECT_FALSE(has_payload(delivered));
  EXPECT_EQ(load_payloads(store(), {delivered.message.id})->front().bytes, nullptr);
  EXPECT_TRUE(has_payload(dead) && has_payload(live));
  EXPECT_EQ(*load_payloads(store(), {live.message.id})->front().bytes, *live.payload);
  EXPECT_EQ(browse().deliveries_of_message(delivered.message.id)->size(), 1U);
}

TEST_P(PurgeTest, WhatIsKeptIsCounted) {
  keep_for(days(3));
  EXPECT_EQ(browse().kept(application_).value(), KeptSizes());
  const ApplicationId other = make_.application_id();
  const Acceptance first = accept_one();
  settle_now(make_.delivered(first.deliveries[0]));
  const Acceptance second = accept_one({}, other);
  const std::uint64_t bytes = first.payload->size();
  EXPECT_EQ(browse().kept(application_).value(), (KeptSizes{1, 1, bytes}));
  EXPECT_EQ(browse().kept({}).value(), (KeptSizes{2, 2, bytes + second.payload->size()}));

  ASSERT_TRUE(change(store(), ExpungePayload{other, second.message.id}).ok());
  ASSERT_TRUE(change(store(), ExpungePayload{other, second.message.id}).ok());
  EXPECT_EQ(browse().kept(other).value(), (KeptSizes{.messages = 1}));

  clock_.pass(days(3));
  purge();
  EXPECT_EQ(browse().kept(application_).value(), KeptSizes());
  EXPECT_EQ(browse().kept(other).value(), KeptSizes());
  EXPECT_EQ(browse().kept({}).value(), KeptSizes());
}

TEST_P(PurgeTest, AnEventIdIsFreeOnceItsMessageIsGone) {
  keep_for(hours(1));
  Acceptance first = make_.acceptance(application_, {}, clock_.wall());
  first.message.event_id = "evt-1";
  ASSERT_TRUE(accept(store(), {first}).ok());
  clock_.pass(hours(1));
  purge();

  EXPECT_FALSE(browse().message_by_event_id(application_, "evt-1").ok());
  Acceptance second = make_.acceptance(application_, {}, clock_.wall());
  second.message.event_id = "evt-1";
  EXPECT_EQ(accept(store(), {second})->at(0).kind, Accepted::Kind::New);
}

TEST_P(PurgeTest, TheNumbersOfHoursOutliveTheirAttempts) {
  keep_for(hours(1));
  const Acceptance made = accept_one();
  settle_now(make_.delivered(made.deliveries[0]));
  const auto hours_of = [&] {
    return *browse().hours(endpoint_, kNoon - days(1), kNoon + days(1));
  };
  const std::vector<HourTally> before = hours_of();
  ASSERT_EQ(before.size(), 1U);
  clock_.pass(hours(2));
  EXPECT_EQ(purge().attempts, 1U);

  EXPECT_EQ(hours_of(), before);
}

TEST_P(PurgeTest, ADeliveryThatRetentionDroppedCanBeMadeAnew) {
  rules_.others = {days(30), days(30), days(30), hours(1)};
  const Acceptance made = accept_one();
  settle_now(make_.dead(made.deliveries[0], clock_.wall()));
  clock_.pass(hours(1));
  EXPECT_EQ(purge().dead_letters, 1U);

  ASSERT_TRUE(change(store(), AddDelivery{made.deliveries[0]}).ok());

  EXPECT_EQ(browse().deliveries_of_message(made.message.id)->size(), 1U);
  EXPECT_EQ(browse().message(application_, made.message.id)->endpoints.size(), 1U);
}

TEST_P(PurgeTest, SmallStepsComeByEverything) {
  keep_for(days(3));
  rules_.others.dead_letters = days(6);
  std::vector<Acceptance> dead;
  for (int i = 0; i < 60; ++i) {
    const ApplicationId application = i % 3 == 0 ? application_ : make_.application_id();
    const Acceptance made = accept_one({endpoint_}, application);
    if (i % 5 == 0) {
      dead.push_back(made);
      settle_now(make_.dead(made.deliveries[0], clock_.wall()));
    } else if (i % 5 != 1) {
      settle_now(make_.delivered(made.deliveries[0]));
    }
  }
  clock_.pass(days(3));

  EXPECT_EQ(purge(2).messages, 36U);

  EXPECT_EQ(browse().kept({})->messages, 24U);
  EXPECT_EQ(browse().tally(endpoint_)->live_fresh, 12U);
  for (const Acceptance& each : dead)
    EXPECT_EQ(*browse().payload(each.message.id).value(), *each.payload);

  clock_.pass(days(3));
  EXPECT_EQ(purge(2).messages, 12U);
  EXPECT_EQ(browse().tally(endpoint_).value(), EndpointTally{.live_fresh = 12});
}

INSTANTIATE_TEST_SUITE_P(Stores, PurgeTest, testing::ValuesIn(subject_kinds()), name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, PurgePeriodTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
