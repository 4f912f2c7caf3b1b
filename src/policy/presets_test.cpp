#include "policy/presets.h"

#include <gtest/gtest.h>

#include "base/duration_text.h"

namespace petrel::policy {
namespace {

std::vector<Duration> durations(std::initializer_list<std::string_view> texts) {
  std::vector<Duration> result;
  for (const std::string_view text : texts) result.push_back(*parse_duration(text));
  return result;
}

void expect_schedule(std::string_view name, const std::vector<Duration>& delays) {
  const RetryPolicy policy = *find_preset(name);
  EXPECT_EQ(policy.backoff.strategy, Strategy::Schedule) << name;
  EXPECT_EQ(policy.backoff.schedule, delays) << name;
  EXPECT_EQ(policy.backoff.jitter, Jitter::Percent) << name;
  EXPECT_EQ(policy.backoff.jitter_percent, 20) << name;
  EXPECT_EQ(policy.attempts_max, static_cast<int>(delays.size()) + 1) << name;
}

TEST(Presets, EachIsValidAndFoundByItsName) {
  for (const Preset& preset : presets()) {
    const Status status = validate(preset.policy);
    EXPECT_TRUE(status.ok()) << preset.name();
    EXPECT_EQ(*find_preset(preset.name()), preset.policy);
    EXPECT_FALSE(preset.summary.empty());
  }
}

TEST(Presets, A1_Gethook) { expect_schedule("gethook", durations({"30s", "2m", "10m", "1h"})); }

TEST(Presets, E3_Webhookstream) {
  expect_schedule("webhookstream",
                  durations({"10s", "30s", "2m", "10m", "30m", "2h", "8h", "24h"}));
}

TEST(Presets, Svix) {
  expect_schedule("svix", durations({"5s", "5m", "30m", "2h", "5h", "10h", "10h"}));
}

TEST(Presets, StandardWebhooksIsTheDefault) {
  expect_schedule(kDefaultPreset,
                  durations({"5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"}));
  EXPECT_EQ(kDefaultPreset, "standard-webhooks");
}

TEST(Presets, B1_Anyhook) {
  const RetryPolicy policy = *find_preset("anyhook");
  EXPECT_EQ(policy.backoff.delay_base, std::chrono::seconds(1));
  EXPECT_EQ(policy.backoff.multiplier, 2);
  EXPECT_EQ(policy.backoff.delay_max, std::chrono::seconds(60));
  EXPECT_EQ(policy.backoff.jitter, Jitter::Equal);
  EXPECT_EQ(policy.attempts_max, 6);
  EXPECT_EQ(policy.give_up_after, std::chrono::hours(24));
}

TEST(Presets, C2_ThreeDays) {
  const RetryPolicy policy = *find_preset("three-days");
  EXPECT_EQ(policy.backoff.delay_base, std::chrono::minutes(1));
  EXPECT_EQ(policy.backoff.delay_max, std::chrono::hours(1));
  EXPECT_EQ(policy.backoff.jitter, Jitter::Equal);
  EXPECT_EQ(policy.attempts_max, 16);
  EXPECT_EQ(policy.give_up_after, std::chrono::hours(72));
}

TEST(Presets, D6_StormSafe) {
  const RetryPolicy policy = *find_preset("storm-safe");
  EXPECT_EQ(policy.backoff.delay_base, std::chrono::seconds(30));
  EXPECT_EQ(policy.backoff.delay_max, std::chrono::hours(1));
  EXPECT_EQ(policy.backoff.jitter, Jitter::Full);
  EXPECT_EQ(policy.attempts_max, 5);
}

TEST(Presets, AnUnknownNameIsToldWhatThereIs) {
  const Result<RetryPolicy> policy = find_preset("tempest");
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.error().detail.find("\"tempest\" is not a preset"), std::string::npos);
  EXPECT_NE(policy.error().detail.find("storm-safe"), std::string::npos);
  std::string names;
  for (const Preset& preset : presets()) {
    names += (names.empty() ? "there are " : ", ") + std::string(preset.name());
  }
  EXPECT_TRUE(policy.error().detail.ends_with(names)) << policy.error().detail;
}

}  // namespace
}  // namespace petrel::policy
