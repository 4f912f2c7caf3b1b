// What settle() answers when the delivery has changed since the settlement was made, for every kind
// of store.

#include <utility>

#include "harness.h"

namespace petrel::store {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class SupersededTest : public StoreTest {
 protected:
  model::Delivery accepted_delivery() { return accepted(application_, {endpoint_}).deliveries[0]; }

  // Tried once, and due in an hour.
  model::Delivery retrying_delivery() {
    const model::Settlement retry = make_.retrying(accepted_delivery(), kNoon + hours(1));
    EXPECT_EQ(answer(retry), Settled::Written);
    return retry.delivery;
  }

  // What a person's resend makes of one that is to be tried again: due at once.
  model::Delivery resent(const model::Delivery& before) {
    model::Settlement resend{.attempt = {},
                             .state_before = before.state,
                             .due_before = before.due_at,
                             .delivery = before};
    resend.delivery.due_at = kNoon + seconds(1);
    resend.delivery.updated_at = kNoon + seconds(1);
    EXPECT_EQ(answer(resend), Settled::Written);
    return resend.delivery;
  }

  Settled answer(const model::Settlement& settlement) {
    const Result<std::vector<Settled>> settled = settle(store(), {settlement});
    EXPECT_EQ(settled.value().size(), 1U);
    return settled->front();
  }

  std::vector<model::Delivery> due(DueClass queue) {
    return load_due(store(), {.endpoint = endpoint_, .queue = queue})->deliveries;
  }

  std::size_t attempts(const model::Delivery& delivery) {
    return browse().attempts_of_message(delivery.key.message, {}, {})->items.size();
  }

  model::Delivery stored(const model::Delivery& delivery) {
    return browse().delivery(delivery.key).value();
  }

  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

TEST_P(SupersededTest, ASuccessEndsADeliveryWhoseDueTimeWasMovedMeanwhile) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement success = make_.delivered(before);
  resent(before);

  EXPECT_EQ(answer(success), Settled::Written);

  EXPECT_EQ(stored(before), success.delivery);
  EXPECT_TRUE(due(DueClass::Retry).empty());
  EXPECT_EQ(attempts(before), 2U);
}

TEST_P(SupersededTest, TheLastFailureEndsItToo) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement death = make_.dead(before);
  resent(before);

  EXPECT_EQ(answer(death), Settled::Written);

  EXPECT_EQ(stored(before), death.delivery);
  EXPECT_TRUE(due(DueClass::Retry).empty());
  EXPECT_EQ(browse().dead_letters({.application = application_})->items,
            std::vector{death.delivery});
}

TEST_P(SupersededTest, AFailureIsRecordedAndTheResendStillCounts) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement failure = make_.retrying(before, kNoon + hours(2));
  const model::Delivery moved = resent(before);

  EXPECT_EQ(answer(failure), Settled::Moved);

  model::Delivery expected = failure.delivery;
  expected.due_at = moved.due_at;
  expected.next = model::Next{.basis = model::NextBasis::Resend};
  EXPECT_EQ(stored(before), expected);
  EXPECT_EQ(due(DueClass::Retry), std::vector{expected});
  EXPECT_EQ(attempts(before), 2U);
}

TEST_P(SupersededTest, ASuccessEndsWhatWasGivenANewBudgetMeanwhile) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement success = make_.delivered(before);
  const model::Settlement cancelled = make_.ended_unsent(before);
  ASSERT_EQ(answer(cancelled), Settled::Written);
  ASSERT_EQ(answer(make_.replayed(cancelled.delivery, kNoon + seconds(5))), Settled::Written);

  EXPECT_EQ(answer(success), Settled::Written);

  EXPECT_EQ(stored(before).state, model::DeliveryState::Delivered);
  EXPECT_TRUE(due(DueClass::Fresh).empty());
}

TEST_P(SupersededTest, AFailureOfAnEarlierBudgetHasNoEffect) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement failure = make_.retrying(before, kNoon + hours(2));
  const model::Settlement cancelled = make_.ended_unsent(before);
  ASSERT_EQ(answer(cancelled), Settled::Written);
  const model::Settlement replay = make_.replayed(cancelled.delivery, kNoon + seconds(5));
  ASSERT_EQ(answer(replay), Settled::Written);

  EXPECT_EQ(answer(failure), Settled::Superseded);

  EXPECT_EQ(stored(before), replay.delivery);
  EXPECT_EQ(attempts(before), 1U);
}

TEST_P(SupersededTest, WhatHasEndedIsNotChangedByASuccess) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement success = make_.delivered(before);
  const model::Settlement cancelled = make_.ended_unsent(before);
  ASSERT_EQ(answer(cancelled), Settled::Written);

  EXPECT_EQ(answer(success), Settled::Superseded);

  EXPECT_EQ(stored(before), cancelled.delivery);
}

TEST_P(SupersededTest, WithoutAnAttemptTheDueTimeHasToMatch) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement expiry = make_.ended_unsent(before);
  const model::Delivery moved = resent(before);

  EXPECT_EQ(answer(expiry), Settled::Superseded);

  EXPECT_EQ(stored(before), moved);
}

TEST_P(SupersededTest, TheSameSettlementAgainIsWritten) {
  const model::Delivery before = retrying_delivery();
  for (model::Settlement settlement :
       {make_.retrying(before, kNoon + hours(2)), make_.retrying(before, before.due_at)}) {
    settlement.state_before = stored(before).state;
    settlement.due_before = stored(before).due_at;
    settlement.delivery.attempts_total = stored(before).attempts_total + 1;
    ASSERT_EQ(answer(settlement), Settled::Written);
    const std::size_t attempts_once = attempts(before);

    EXPECT_EQ(answer(settlement), Settled::Written);

    EXPECT_EQ(stored(before), settlement.delivery);
    EXPECT_EQ(attempts(before), attempts_once);
    EXPECT_EQ(due(DueClass::Retry), std::vector{settlement.delivery});
  }
}

TEST_P(SupersededTest, TheSameSettlementAgainDoesNotCountTwice) {
  const model::Delivery before = retrying_delivery();
  const model::Settlement same_due = make_.retrying(before, before.due_at);
  ASSERT_EQ(answer(same_due), Settled::Written);
  const auto counted = browse().count().value();

  EXPECT_EQ(answer(same_due), Settled::Written);
  EXPECT_EQ(browse().count()->attempts, counted.attempts);
}

TEST_P(SupersededTest, TheSameSettlementAgainIsMovedIfItsDeliveryWasBroughtBack) {
  const model::Delivery before = accepted_delivery();
  const model::Settlement success = make_.delivered(before);
  ASSERT_EQ(answer(success), Settled::Written);
  const model::Settlement replay = make_.replayed(success.delivery, kNoon + seconds(5));
  ASSERT_EQ(answer(replay), Settled::Written);

  EXPECT_EQ(answer(success), Settled::Moved);

  EXPECT_EQ(stored(before), replay.delivery);
  EXPECT_EQ(due(DueClass::Fresh), std::vector{replay.delivery});
}

TEST_P(SupersededTest, AnotherSettlementOfTheSameAttemptCountIsSuperseded) {
  const model::Delivery before = accepted_delivery();
  ASSERT_EQ(answer(make_.retrying(before, kNoon + hours(1))), Settled::Written);

  EXPECT_EQ(answer(make_.delivered(before)), Settled::Superseded);
}

TEST_P(SupersededTest, OfWhatIsNotThereItIsSuperseded) {
  const Acceptance never = make_.acceptance(application_, {endpoint_});
  EXPECT_EQ(answer(make_.delivered(never.deliveries[0])), Settled::Superseded);
}

TEST_P(SupersededTest, EachSettlementOfABatchHasItsOwnAnswer) {
  const model::Delivery moved = retrying_delivery();
  const model::Delivery gone = accepted_delivery();
  const model::Delivery plain = accepted_delivery();
  resent(moved);
  ASSERT_EQ(answer(make_.dead(gone)), Settled::Written);

  const auto settled = settle(store(), {make_.retrying(moved, kNoon + hours(2)),
                                        make_.delivered(gone), make_.delivered(plain)});

  EXPECT_EQ(settled.value(), (std::vector{Settled::Moved, Settled::Superseded, Settled::Written}));
}

INSTANTIATE_TEST_SUITE_P(Every, SupersededTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
