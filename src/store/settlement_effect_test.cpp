#include "store/settlement_effect.h"

#include <gtest/gtest.h>

namespace petrel::store {
namespace {

TEST(SettlementEffect, WhatKeepsAResendsDueTimeSaysThatAResendSetIt) {
  model::Delivery settled;
  settled.state = model::DeliveryState::Retrying;
  settled.due_at = wall_from_unix_seconds(2'000);
  settled.is_scheduled = true;
  settled.next = model::Next{.basis = model::NextBasis::RetryAfter,
                             .retry_after = std::chrono::seconds(1'000),
                             .not_before = settled.due_at};

  const model::Delivery kept = with_due_time(settled, wall_from_unix_seconds(1'000));

  model::Delivery expected = settled;
  expected.due_at = wall_from_unix_seconds(1'000);
  expected.is_scheduled = false;
  expected.next = model::Next{.basis = model::NextBasis::Resend};
  EXPECT_EQ(kept, expected);
}

}  // namespace
}  // namespace petrel::store
