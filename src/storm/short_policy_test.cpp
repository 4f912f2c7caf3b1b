#include "storm/short_policy.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "policy/retry_policy_json.h"

namespace petrel::storm {
namespace {

TEST(ShortPolicy, MeansTheSameAsItsJson) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"fixed:60s", R"({"strategy":"fixed","baseDelay":"60s","jitter":"none"})"},
      {"linear:30s:maxDelay=10m",
       R"({"strategy":"linear","baseDelay":"30s","maxDelay":"10m","jitter":"none"})"},
      {"exponential:1s:multiplier=1.5:maxDelay=1m:jitter=full:maxAttempts=20:giveUpAfter=2h",
       R"({"strategy":"exponential","baseDelay":"1s","multiplier":1.5,"maxDelay":"1m",)"
       R"("jitter":"full","maxAttempts":20,"giveUpAfter":"2h"})"},
      {"fixed:5s:jitter=percent:jitterPercent=20",
       R"({"strategy":"fixed","baseDelay":"5s","jitter":"percent","jitterPercent":20})"},
      {"schedule:5s+5m+30m",
       R"({"strategy":"schedule","schedule":["5s","5m","30m"],"maxAttempts":4,"jitter":"none"})"},
      {"schedule:5s+5m:maxAttempts=9",
       R"({"strategy":"schedule","schedule":["5s","5m"],"maxAttempts":9,"jitter":"none"})"},
  };
  for (const auto& [text, json] : cases) {
    const auto parsed = parse_short_policy(text);
    const auto expected = policy::parse_policy(json);
    ASSERT_TRUE(expected.ok()) << json;
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text();
    EXPECT_EQ(*parsed, *expected) << text;
  }
}

TEST(ShortPolicy, AMistakeNamesTheFieldAndTheReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"fixed:", "baseDelay: \"\" is not a duration"},
      {"fixed:soon", "baseDelay: \"soon\" is not a duration"},
      {"fixed:60", "baseDelay: \"60\" is not a duration"},
      {"sometimes:60s", "strategy: \"sometimes\" is not one of"},
      {"fixed:60s:full", "\"full\" is not of the form field=value"},
      {"fixed:60s:maxAttempts=0", "maxAttempts: must be between 1 and 1000"},
      {"fixed:60s:maxAttempts=lots", "maxAttempts: must be a whole number"},
      {"fixed:60s:wings=2", "wings"},
      {"fixed:60s:multiplier=2", "multiplier"},
      {"fixed:60s:baseDelay=5s", "baseDelay: appears twice"},
      {"schedule:5s++5m", "schedule[1]: \"\" is not a duration"},
      {"fixed", "lacks a delay"},
  };
  for (const auto& [text, words] : cases) {
    const auto parsed = parse_short_policy(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().text().find(words), std::string::npos)
        << text << ": " << parsed.error().text();
  }
}

TEST(ShortPolicy, IsToldFromAPresetByItsColon) {
  EXPECT_TRUE(is_short_policy("fixed:60s"));
  EXPECT_FALSE(is_short_policy("storm-safe"));
}

}  // namespace
}  // namespace petrel::storm
