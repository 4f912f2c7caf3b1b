#include "policy/retry_policy_json.h"

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::policy {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

RetryPolicy parsed(std::string_view text) {
  const Result<RetryPolicy> policy = parse_policy(text);
  EXPECT_TRUE(policy.ok()) << text << ": " << policy.error().text();
  return policy.ok() ? *policy : RetryPolicy{};
}

std::string whole(const RetryPolicy& policy) {
  JsonWriter json;
  write_policy_whole(policy, json);
  return json.take();
}

TEST(RetryPolicyJson, ReadsEveryField) {
  const RetryPolicy policy = parsed(R"({
      "strategy": "exponential", "baseDelay": "30s", "multiplier": 2.5, "maxDelay": "1h",
      "jitter": "percent", "jitterPercent": 15, "maxAttempts": 5, "giveUpAfter": "72h",
      "retryAfterCap": "12h", "rules": [{"on": "404", "action": "fail"},
                                         {"on": "dns", "action": "retry", "maxAttempts": 5}]})");

  EXPECT_EQ(policy.backoff.strategy, Strategy::Exponential);
  EXPECT_EQ(policy.backoff.delay_base, seconds(30));
  EXPECT_EQ(policy.backoff.multiplier, 2.5);
  EXPECT_EQ(policy.backoff.delay_max, hours(1));
  EXPECT_EQ(policy.backoff.jitter, Jitter::Percent);
  EXPECT_EQ(policy.backoff.jitter_percent, 15);
  EXPECT_EQ(policy.attempts_max, 5);
  EXPECT_EQ(policy.give_up_after, hours(72));
  EXPECT_EQ(policy.retry_after_cap, hours(12));
  const std::vector<Rule> rules = {{*Selector::parse("404"), Action::Fail},
                                   {*Selector::parse("dns"), Action::Retry, 5}};
  EXPECT_EQ(policy.rules, rules);
}

TEST(RetryPolicyJson, OmittedFieldsHaveTheirDefaults) {
  const RetryPolicy policy = parsed("{}");

  EXPECT_EQ(policy, RetryPolicy{});
  EXPECT_EQ(policy.backoff.strategy, Strategy::Exponential);
  EXPECT_EQ(policy.backoff.delay_base, seconds(30));
  EXPECT_EQ(policy.backoff.multiplier, 2);
  EXPECT_EQ(policy.backoff.delay_max, hours(24));
  EXPECT_EQ(policy.backoff.jitter, Jitter::Equal);
  EXPECT_EQ(policy.attempts_max, 10);
  EXPECT_EQ(policy.give_up_after, hours(96));
  EXPECT_EQ(policy.retry_after_cap, hours(24));
}

TEST(RetryPolicyJson, ALimitThatWasLeftOutMakesRoomForTheOther) {
  EXPECT_EQ(parsed(R"({"maxDelay": "10s"})").backoff.delay_base, seconds(10));
  EXPECT_EQ(parsed(R"({"baseDelay": "2d"})").backoff.delay_max, days(2));
  EXPECT_EQ(parsed(R"({"strategy": "schedule", "schedule": ["1m", "3d"]})").backoff.delay_max,
            days(3));
}

TEST(RetryPolicyJson, APresetsNameStandsForTheWhole) {
  EXPECT_EQ(parsed(R"("storm-safe")"), *find_preset("storm-safe"));
  JsonWriter json;
  write_policy(*find_preset("storm-safe"), json);
  EXPECT_EQ(json.text(), R"("storm-safe")");
}

TEST(RetryPolicyJson, APolicyWithoutANameIsWrittenWhole) {
  const RetryPolicy own = parsed(R"({"strategy": "fixed", "baseDelay": "90s"})");
  JsonWriter json;
  write_policy(own, json);
  EXPECT_EQ(json.text(), whole(own));
}

TEST(RetryPolicyJson, WritesWhatHasAnEffect) {
  EXPECT_EQ(whole(*find_preset("gethook")),
            R"({"strategy":"schedule","schedule":["30s","2m","10m","1h"],"maxDelay":"1d",)"
            R"("jitter":"percent","jitterPercent":20,"maxAttempts":5,"giveUpAfter":"4d",)"
            R"("retryAfterCap":"1d","rules":[{"on":"404","action":"fail"}]})");
  EXPECT_EQ(whole(parsed(R"({"strategy": "fixed", "baseDelay": "90s", "jitter": "none"})")),
            R"({"strategy":"fixed","baseDelay":"90s","maxDelay":"1d","jitter":"none",)"
            R"("maxAttempts":10,"giveUpAfter":"4d","retryAfterCap":"1d"})");
}

struct BadPolicy {
  std::string_view json;
  std::string_view field;
  std::string_view reason;  // A part of it.
};

const std::vector<BadPolicy>& mistakes() {
  static const std::vector<BadPolicy> kMistakes = {
      {"", "", "empty"},
      {"{", "", "not valid JSON"},
      {"[]", "", "must be an object or the name of a preset, not a list"},
      {"7", "", "not a number"},
      {R"("tempest")", "", "is not a preset"},
      {R"({"retries": 3})", "retries", "is not a field of a retry policy"},
      {R"({"maxAttempts": 3, "maxAttempts": 4})", "maxAttempts", "appears twice"},
      {R"({"strategy": "quadratic"})", "strategy", "is not one of fixed, linear"},
      {R"({"strategy": 3})", "strategy", "must be one of fixed, linear"},
      {R"({"jitter": "some"})", "jitter", "is not one of none, full"},
      {R"({"baseDelay": 30})", "baseDelay", "must be a duration as a string"},
      {R"({"baseDelay": "30"})", "baseDelay", "is not a duration"},
      {R"({"baseDelay": "-1s"})", "baseDelay", "is not a duration"},
      {R"({"baseDelay": "8d"})", "baseDelay", "must be between 0s and 7d"},
      {R"({"maxDelay": "8d"})", "maxDelay", "must be between 0s and 7d"},
      {R"({"retryAfterCap": "8d"})", "retryAfterCap", "must be between 0s and 7d"},
      {R"({"giveUpAfter": "31d"})", "giveUpAfter", "must be between 1ms and 30d"},
      {R"({"giveUpAfter": "0s"})", "giveUpAfter", "must be between 1ms and 30d"},
      {R"({"multiplier": 0.5})", "multiplier", "must be between 1 and 10"},
      {R"({"multiplier": 11})", "multiplier", "must be between 1 and 10"},
      {R"({"multiplier": "2"})", "multiplier", "must be a number, not a string"},
      {R"({"maxAttempts": 0})", "maxAttempts", "must be between 1 and 1000"},
      {R"({"maxAttempts": 1001})", "maxAttempts", "must be between 1 and 1000"},
      {R"({"maxAttempts": 2.5})", "maxAttempts", "must be a whole number"},
      {R"({"maxAttempts": 99999999999999})", "maxAttempts", "must be between 1 and 1000"},
      {R"({"maxAttempts": null})", "maxAttempts", "not null"},
      {R"({"baseDelay": "2h", "maxDelay": "1h"})", "baseDelay", "is longer than maxDelay (1h)"},
      {R"({"strategy": "fixed", "multiplier": 2})", "multiplier", "goes only with"},
      {R"({"strategy": "schedule"})", "schedule", "must list at least one delay"},
      {R"({"strategy": "schedule", "schedule": []})", "schedule", "must list at least one"},
      {R"({"strategy": "schedule", "schedule": "5s"})", "schedule", "must be a list"},
      {R"({"strategy": "schedule", "schedule": ["5s", "x"]})", "schedule[1]", "is not a duration"},
      {R"({"strategy": "schedule", "schedule": ["8d"]})", "schedule[0]", "must be between"},
      {R"({"strategy": "schedule", "schedule": ["2h"], "maxDelay": "1h"})", "schedule[0]",
       "is longer than maxDelay"},
      {R"({"strategy": "schedule", "schedule": ["2h"], "baseDelay": "1h"})", "baseDelay",
       "does not go with"},
      {R"({"strategy": "schedule", "schedule": ["2h"], "jitter": "decorrelated"})", "jitter",
       "does not go with a schedule"},
      {R"({"schedule": ["2h"]})", "schedule", "goes only with the strategy"},
      {R"({"jitter": "percent"})", "jitterPercent", "is missing"},
      {R"({"jitterPercent": 20})", "jitterPercent", "goes only with"},
      {R"({"jitter": "percent", "jitterPercent": 101})", "jitterPercent", "between 0 and 100"},
      {R"({"rules": {}})", "rules", "must be a list of rules, not an object"},
      {R"({"rules": [3]})", "rules[0]", "must be an object"},
      {R"({"rules": [{"action": "fail"}]})", "rules[0].on", "is missing"},
      {R"({"rules": [{"on": "404"}]})", "rules[0].action", "is missing"},
      {R"({"rules": [{"on": 404, "action": "fail"}]})", "rules[0].on", "must be a string"},
      {R"({"rules": [{"on": "44", "action": "fail"}]})", "rules[0].on", "is neither a status"},
      {R"({"rules": [{"on": "404", "action": "drop"}]})", "rules[0].action", "is not one of"},
      {R"({"rules": [{"on": "404", "action": ""}]})", "rules[0].action", "is not one of"},
      {R"({"rules": [{"on": "404", "action": 1}]})", "rules[0].action", "not a number"},
      {R"({"rules": [{"on": "404", "action": "fail", "because": 1}]})", "rules[0].because",
       "is not a field of a rule"},
      {R"({"rules": [{"on": "dns", "action": "success"}]})", "rules[0].action", "needs an answer"},
      {R"({"rules": [{"on": "404", "action": "fail", "maxAttempts": 2}]})", "rules[0].maxAttempts",
       "goes only with the action"},
      {R"({"rules": [{"on": "404", "action": "retry", "maxAttempts": 0}]})", "rules[0].maxAttempts",
       "must be between 1 and 1000"},
      {R"({"rules": [{"on": "404", "action": "fail"}, {"on": "404", "action": "retry"}]})",
       "rules[1].on", "has a rule already, rules[0]"},
  };
  return kMistakes;
}

TEST(RetryPolicyJson, EveryMistakeIsNamedWithItsFieldAndReason) {
  for (const BadPolicy& mistake : mistakes()) {
    const Result<RetryPolicy> policy = parse_policy(mistake.json);
    ASSERT_FALSE(policy.ok()) << mistake.json;
    EXPECT_EQ(policy.error().kind, ErrorKind::Invalid) << mistake.json;
    EXPECT_EQ(policy.error().field, mistake.field) << mistake.json;
    EXPECT_NE(policy.error().detail.find(mistake.reason), std::string::npos)
        << mistake.json << "\n  says: " << policy.error().detail;
  }
}

TEST(RetryPolicyJson, ListsHaveABound) {
  std::string schedule = R"({"strategy": "schedule", "schedule": ["1s")";
  std::string rules = R"({"rules": [{"on": "100", "action": "fail"})";
  for (int i = 1; i <= 100; ++i) {
    schedule += R"(, "1s")";
    rules += R"(, {"on": ")" + std::to_string(100 + i) + R"(", "action": "fail"})";
  }

  EXPECT_EQ(parse_policy(schedule + "]}").error().field, "schedule");
  EXPECT_EQ(parse_policy(rules + "]}").error().field, "rules");
}

}  // namespace
}  // namespace petrel::policy
