#include "sim/judge/policy_reading.h"

#include <gtest/gtest.h>

#include "sim/judge/json_field.h"
#include "sim/judge/settings_reading.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Policy read(std::string_view text) { return read_policy(read_json(text)); }

TEST(PolicyReading, WhatIsLeftOutIsAsTheContractSays) {
  const Policy policy = read("{}");

  EXPECT_EQ(policy.strategy, Policy::Strategy::Exponential);
  EXPECT_EQ(policy.base, seconds(30));
  EXPECT_EQ(policy.max, hours(24));
  EXPECT_EQ(policy.jitter, Policy::Jitter::Equal);
  EXPECT_EQ(policy.attempts_max, 10);
  EXPECT_EQ(policy.give_up_after, hours(96));
}

TEST(PolicyReading, ReadsEveryField) {
  const Policy policy =
      read(R"({"strategy": "schedule", "schedule": ["5s", "2d"], "jitter": "percent",
               "jitterPercent": 20, "maxAttempts": 3, "giveUpAfter": "72h", "retryAfterCap": "1h",
               "rules": [{"on": "dns", "action": "retry", "maxAttempts": 5},
                         {"on": "404", "action": "fail"}]})");

  EXPECT_EQ(policy.schedule, (std::vector<Duration>{seconds(5), hours(48)}));
  EXPECT_EQ(policy.max, hours(48)) << "the default makes room for the schedule";
  EXPECT_EQ(policy.jitter_percent, 20);
  EXPECT_EQ(policy.attempts_max, 3);
  EXPECT_EQ(policy.retry_after_cap, hours(1));
  EXPECT_EQ(policy.rules[0].attempts_max, 5);
  EXPECT_EQ(policy.rules[1].action, Action::Fail);
}

TEST(PolicyReading, TheBaseMakesRoomForASmallMaximum) {
  EXPECT_EQ(read(R"({"maxDelay": "10s"})").base, seconds(10));
  EXPECT_EQ(read(R"({"baseDelay": "2d"})").max, hours(48));
}

TEST(PolicyReading, AStringIsAPreset) {
  EXPECT_EQ(read(R"("anyhook")").attempts_max, 6);
  EXPECT_EQ(read(R"("svix")").attempts_max, 8);
  EXPECT_EQ(read(R"("storm-safe")").rules.size(), 2U);
  EXPECT_EQ(read(R"("three-days")").give_up_after, hours(72));
}

TEST(PolicyReading, TheMostSpecificRuleWins) {
  const Policy policy = read(R"({"rules": [{"on": "501", "action": "fail"},
                                           {"on": "5xx", "action": "success"}]})");

  EXPECT_EQ(treatment_of(policy, Reply::Answered, 501).action, Action::Fail);
  EXPECT_EQ(treatment_of(policy, Reply::Answered, 500).action, Action::Success);
  EXPECT_EQ(treatment_of(policy, Reply::Reset, 0).action, Action::Retry);
}

TEST(PolicyReading, TheTableOfOutcomesIsTheContracts) {
  const Policy policy = read("{}");
  const auto action = [&](int status) {
    return treatment_of(policy, Reply::Answered, status).action;
  };

  EXPECT_EQ(action(204), Action::Success);
  EXPECT_EQ(action(302), Action::Fail);
  EXPECT_EQ(action(400), Action::Fail);
  EXPECT_EQ(action(408), Action::Retry);
  EXPECT_EQ(action(410), Action::Pause);
  EXPECT_EQ(action(429), Action::Retry);
  EXPECT_EQ(action(503), Action::Retry);
  EXPECT_EQ(action(600), Action::Retry);
  EXPECT_EQ(treatment_of(policy, Reply::Answered, 404).attempts_max, 3);
  EXPECT_EQ(treatment_of(policy, Reply::Dns, 0).attempts_max, 3);
}

TEST(SettingsReading, TheNearestOneWinsWhole) {
  const JsonValue endpoint =
      read_json(R"({"url": "https://a.example/x", "guards": {"openAfter": 5}})");
  const JsonValue application = read_json(
      R"({"guards": {"openAfter": 7, "openTime": "1m"}, "maxInFlight": 3, "throttleRate": 9})");
  const JsonValue server = read_json(R"({"maxInFlight": 50, "timeout": "20s"})");

  const Settings settings = read_settings(endpoint, application, server);

  EXPECT_EQ(settings.origin, "https://a.example:443");
  EXPECT_EQ(settings.guards.open_after, 5);
  EXPECT_EQ(settings.guards.open_time, seconds(15)) << "fields of two are never mixed";
  EXPECT_EQ(settings.max_in_flight, 3);
  EXPECT_EQ(settings.rate, std::nullopt);
  EXPECT_EQ(settings.rate_of_application, 9);
  EXPECT_EQ(settings.timeout, seconds(20));
}

TEST(SettingsReading, ASmallMaximumOfTheOpenTimeLowersItsMinimum) {
  EXPECT_EQ(read_guards(read_json(R"({"openTimeMax": "5s"})")).open_time, seconds(5));
  EXPECT_EQ(read_guards(read_json(R"({"openTime": "1h"})")).open_time_max, minutes(60));
}

TEST(SettingsReading, FiltersByTypeAndChannel) {
  const Settings settings = read_settings(read_json(R"({"eventTypes": ["a"], "channels": ["x"]})"),
                                          JsonValue(), JsonValue());

  EXPECT_TRUE(settings.wants("a", {"x", "y"}));
  EXPECT_FALSE(settings.wants("b", {"x"}));
  EXPECT_FALSE(settings.wants("a", {}));
}

}  // namespace
}  // namespace petrel::sim::judge
