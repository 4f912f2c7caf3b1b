#include "node/shared_rates.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::node {
namespace {

TEST(SharedRates, AnApplicationHasOneForAllItsEndpoints) {
  SharedRates rates;
  model::Application application;
  EXPECT_EQ(rates.of(application), nullptr);

  application.throttle_rate = 10;
  const auto rate = rates.of(application);
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rates.of(application), rate);
}

TEST(SharedRates, ANewRateHoldsForWhoeverHasTheOldOne) {
  SharedRates rates;
  model::Application application;
  application.throttle_rate = 1;
  const auto rate = rates.of(application);
  application.throttle_rate = 100;
  (void)rates.of(application);

  const MonoTime now(std::chrono::seconds(5));
  const MonoTime first = rate->reserve(now);
  EXPECT_EQ(rate->reserve(now) - first, std::chrono::milliseconds(10));
}

TEST(SharedRates, OneThatIsTakenAwayIsGone) {
  SharedRates rates;
  model::Application application;
  application.throttle_rate = 1;
  (void)rates.of(application);
  application.throttle_rate.reset();
  EXPECT_EQ(rates.of(application), nullptr);
}

}  // namespace
}  // namespace petrel::node
