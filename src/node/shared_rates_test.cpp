#include "node/shared_rates.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::node {
namespace {

constexpr MonoTime kNow(std::chrono::seconds(5));

model::Application with_rate(std::optional<int> rate) {
  model::Application application;
  application.throttle_rate = rate;
  return application;
}

TEST(SharedRates, AnApplicationHasOneForAllItsEndpoints) {
  SharedRates rates;
  EXPECT_EQ(rates.of(with_rate(std::nullopt)), nullptr);

  const auto rate = rates.of(with_rate(10));
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rates.of(with_rate(10)), rate);
}

TEST(SharedRates, ANewRateHoldsForEveryLaneThatHasTheOldOne) {
  SharedRates rates;
  const auto rate = rates.of(with_rate(1));
  rates.changed(with_rate(100), kNow);

  const MonoTime first = rate->reserve(kNow).at;
  EXPECT_EQ(rate->reserve(kNow).at - first, std::chrono::milliseconds(10));
}

// A shard that reads the application a moment too early must not undo what was changed since.
TEST(SharedRates, ALaneWithAnOldRecordDoesNotBringTheOldRateBack) {
  SharedRates rates;
  rates.changed(with_rate(100), kNow);

  const auto rate = rates.of(with_rate(1));

  const MonoTime first = rate->reserve(kNow).at;
  EXPECT_EQ(rate->reserve(kNow).at - first, std::chrono::milliseconds(10));
}

TEST(SharedRates, ARateThatIsTakenAwayAndSetAgainIsStillTheSame) {
  SharedRates rates;
  const auto rate = rates.of(with_rate(10));
  rates.changed(with_rate(std::nullopt), kNow);
  EXPECT_EQ(rates.of(with_rate(std::nullopt)), nullptr);

  rates.changed(with_rate(10), kNow);

  EXPECT_EQ(rates.of(with_rate(10)), rate);
}

TEST(SharedRates, ADeletedApplicationLeavesNothing) {
  SharedRates rates;
  const std::weak_ptr<lane::SharedRate> rate = rates.of(with_rate(10));
  model::Application deleted = with_rate(10);
  deleted.deleted_at = WallTime();

  rates.changed(deleted, kNow);

  EXPECT_TRUE(rate.expired());
}

}  // namespace
}  // namespace petrel::node
