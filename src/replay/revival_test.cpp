#include "replay/revival.h"

#include <gtest/gtest.h>

namespace petrel::replay {
namespace {

using model::DeliveryState;
using model::NextBasis;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

model::Delivery in_state(DeliveryState state) {
  model::Delivery delivery;
  delivery.state = state;
  if (state == DeliveryState::Dead) {
    delivery.reason = policy::DeadReason::Cancelled;
    delivery.is_aborted = true;
  }
  delivery.due_at = kNow - std::chrono::hours(1);
  delivery.progress.attempts = 7;
  delivery.progress.give_up_at = kNow - std::chrono::minutes(1);
  delivery.attempts_total = 7;
  delivery.last_outcome = 503;
  return delivery;
}

TEST(Revival, WhatHasEndedGetsANewBudgetAndKeepsItsHistory) {
  for (const DeliveryState state : {DeliveryState::Dead, DeliveryState::Delivered}) {
    const model::Delivery before = in_state(state);

    const auto settlement = revival(before, NextBasis::Resend, kNow);

    ASSERT_TRUE(settlement);
    EXPECT_EQ(settlement->state_before, state);
    EXPECT_EQ(settlement->due_before, before.due_at);
    EXPECT_FALSE(settlement->attempt);
    model::Delivery expected = before;
    expected.state = DeliveryState::Pending;
    expected.reason.reset();
    expected.is_aborted = false;
    expected.progress = {};
    expected.due_at = expected.updated_at = kNow;
    expected.next = model::Next{.basis = NextBasis::Resend};
    expected.is_manual = true;
    EXPECT_EQ(settlement->delivery, expected);
    EXPECT_TRUE(may_become(state, settlement->delivery.state));
  }
}

TEST(Revival, WhatIsLiveIsBroughtForwardWithTheBudgetThatItHas) {
  for (const DeliveryState state : {DeliveryState::Pending, DeliveryState::Retrying}) {
    for (const Duration wait : {Duration(1), Duration(std::chrono::days(1))}) {
      model::Delivery before = in_state(state);
      before.due_at = kNow + wait;
      before.is_scheduled = true;  // By deliverAt, or by a Retry-After.

      const auto settlement = revival(before, NextBasis::Resend, kNow);

      ASSERT_TRUE(settlement);
      EXPECT_EQ(settlement->state_before, state);
      EXPECT_EQ(settlement->due_before, before.due_at);
      model::Delivery expected = before;
      expected.due_at = expected.updated_at = kNow;
      expected.is_scheduled = false;
      expected.next = model::Next{.basis = NextBasis::Resend};
      EXPECT_EQ(settlement->delivery, expected);
    }
  }
}

TEST(Revival, TimesOnlyGrowAlsoWhenTheClockWasSetBack) {
  model::Delivery before = in_state(DeliveryState::Dead);
  before.updated_at = kNow + std::chrono::hours(1);

  const auto settlement = revival(before, NextBasis::Resend, kNow);

  EXPECT_EQ(settlement->delivery.updated_at, before.updated_at);
  EXPECT_EQ(settlement->delivery.due_at, kNow) << "it waits for nothing";
}

TEST(Revival, WhatIsDueIsLeftAlone) {
  for (const DeliveryState state : {DeliveryState::Pending, DeliveryState::Retrying}) {
    model::Delivery due = in_state(state);
    EXPECT_FALSE(revival(due, NextBasis::Resend, kNow)) << "it is overdue";
    due.due_at = kNow;
    EXPECT_FALSE(revival(due, NextBasis::Resend, kNow));
  }
}

}  // namespace
}  // namespace petrel::replay
