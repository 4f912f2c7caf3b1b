#include "policy/preview.h"

#include <gtest/gtest.h>

#include "policy/presets.h"
#include "policy/retry_policy_json.h"

namespace petrel::policy {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Preview preview_of(std::string_view policy) { return preview(*parse_policy(policy), {}); }

std::string json_of(const Preview& preview) {
  JsonWriter json;
  write_preview(preview, json);
  return json.take();
}

TEST(Preview, WithoutJitterEveryFigureIsTheDelay) {
  const Preview result = preview_of(
      R"({"strategy": "linear", "baseDelay": "10s", "jitter": "none", "maxAttempts": 3})");

  EXPECT_EQ(json_of(result),
            R"({"attempts":[)"
            R"({"n":1,"minMs":0,"meanMs":0,"p99Ms":0,"maxMs":0,"cumulativeMeanMs":0},)"
            R"({"n":2,"minMs":10000,"meanMs":10000,"p99Ms":10000,"maxMs":10000,)"
            R"("cumulativeMeanMs":10000},)"
            R"({"n":3,"minMs":20000,"meanMs":20000,"p99Ms":20000,"maxMs":20000,)"
            R"("cumulativeMeanMs":30000}],"ends":"exhausted"})");
}

TEST(Preview, StaysWithinTheBoundsOfTheJitter) {
  const Preview result = preview(*find_preset("gethook"), {});

  ASSERT_EQ(result.rows.size(), 5U);
  EXPECT_GE(result.rows[1].min, seconds(24));
  EXPECT_LE(result.rows[1].max, seconds(36));
  EXPECT_LT(result.rows[1].min, seconds(25));
  EXPECT_GT(result.rows[1].p99, seconds(35));
  EXPECT_NEAR(static_cast<double>(whole_milliseconds(result.rows[1].mean)), 30'000, 200);
}

TEST(Preview, SaysThatADeliveryExpires) {
  const Preview result = preview_of(
      R"({"strategy": "fixed", "baseDelay": "1m", "jitter": "none", "giveUpAfter": "150s"})");

  EXPECT_EQ(result.ends, DeadReason::Expired);
  ASSERT_EQ(result.rows.size(), 3U);
  EXPECT_EQ(result.rows[2].cumulative_mean, minutes(2));
}

TEST(Preview, SaysWhatARuleForThe503Means) {
  EXPECT_EQ(preview_of(R"({"rules": [{"on": "503", "action": "fail"}]})").ends,
            DeadReason::Permanent);
  const Preview delivered = preview_of(R"({"rules": [{"on": "5xx", "action": "success"}]})");
  EXPECT_EQ(delivered.ends, std::nullopt);
  EXPECT_NE(json_of(delivered).find(R"("ends":"delivered")"), std::string::npos);
}

TEST(Preview, TheSameSeedGivesTheSameTable) {
  const RetryPolicy policy = *find_preset("storm-safe");
  const std::string once = preview_table(preview(policy, {.samples = 500, .seed = 9}));

  EXPECT_EQ(preview_table(preview(policy, {.samples = 500, .seed = 9})), once);
  EXPECT_NE(preview_table(preview(policy, {.samples = 500, .seed = 10})), once);
}

TEST(Preview, ListsNoMoreRowsThanWanted) {
  const Preview result = preview(*find_preset("svix"), {.rows_max = 2});
  EXPECT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.ends, DeadReason::Exhausted);
}

TEST(Preview, TheSpreadAddsUpToAllSamples) {
  for (const PreviewRow& row : preview(*find_preset("storm-safe"), {}).rows) {
    double sum = 0;
    for (const double share : row.spread) sum += share;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Preview, PlaysAsOftenAsItIsTold) {
  EXPECT_EQ(preview(*find_preset("gethook"), {.samples = 7}).rows.front().samples, 7);
}

TEST(Preview, TheSpreadHasItsFirstPartAtTheLeastAndItsLastAtTheMost) {
  const PreviewRow row = preview(*find_preset("gethook"), {.samples = 2}).rows[1];

  ASSERT_LT(row.min, row.max);
  EXPECT_EQ(row.spread.front(), 0.5);
  EXPECT_EQ(row.spread.back(), 0.5);
}

TEST(Preview, TheTableDrawsASpreadWhereThereIsOne) {
  const std::string steady =
      preview_table(preview_of(R"({"strategy": "fixed", "baseDelay": "1m", "jitter": "none"})"));
  const std::string spread = preview_table(preview(*find_preset("gethook"), {}));

  EXPECT_EQ(steady.find("█"), std::string::npos);
  EXPECT_NE(spread.find("█"), std::string::npos);
}

}  // namespace
}  // namespace petrel::policy
