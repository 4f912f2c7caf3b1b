#include "policy/retry_policy.h"

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::policy {
namespace {

TEST(RetryPolicy, TheDefaultsAreValid) { EXPECT_TRUE(validate(RetryPolicy{}).ok()); }

TEST(RetryPolicy, TheNearestOneWinsWhole) {
  const RetryPolicy server = *find_preset("svix");
  const RetryPolicy application = *find_preset("gethook");
  const RetryPolicy endpoint = *find_preset("storm-safe");

  EXPECT_EQ(nearest(endpoint, application, server), endpoint);
  EXPECT_EQ(nearest(std::nullopt, application, server), application);
  EXPECT_EQ(nearest(std::nullopt, std::nullopt, server), server);
  EXPECT_EQ(nearest(endpoint, std::nullopt, server), endpoint);
}

TEST(RetryPolicy, AScheduleOutsideItsStrategyIsRefused) {
  RetryPolicy policy;
  policy.backoff.schedule = {std::chrono::seconds(5)};

  const Status status = validate(policy);

  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().field, "schedule");
}

TEST(RetryPolicy, AMultiplierThatIsNoNumberIsRefused) {
  RetryPolicy policy;
  policy.backoff.multiplier = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(validate(policy).ok());
}

}  // namespace
}  // namespace petrel::policy
