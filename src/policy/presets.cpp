#include "policy/presets.h"

#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kPercent = 20;

Rule final_on(int status) { return {Selector::status(status), Action::Fail}; }

// One attempt more than there are delays, each spread by ±20 %.
RetryPolicy scheduled(std::string_view name, std::vector<Duration> delays) {
  RetryPolicy policy;
  policy.preset = name;
  policy.attempts_max = static_cast<int>(delays.size()) + 1;
  policy.backoff.strategy = Strategy::Schedule;
  policy.backoff.schedule = std::move(delays);
  policy.backoff.jitter = Jitter::Percent;
  policy.backoff.jitter_percent = kPercent;
  return policy;
}

RetryPolicy exponential(std::string_view name, Duration base, Duration most, Jitter jitter) {
  RetryPolicy policy;
  policy.preset = name;
  policy.backoff.delay_base = base;
  policy.backoff.delay_max = most;
  policy.backoff.jitter = jitter;
  return policy;
}

RetryPolicy gethook() {
  RetryPolicy policy = scheduled("gethook", {seconds(30), minutes(2), minutes(10), hours(1)});
  policy.rules = {final_on(404)};
  return policy;
}

RetryPolicy anyhook() {
  RetryPolicy policy = exponential("anyhook", seconds(1), seconds(60), Jitter::Equal);
  policy.attempts_max = 6;
  policy.give_up_after = hours(24);
  policy.rules = {final_on(404)};
  return policy;
}

RetryPolicy three_days() {
  RetryPolicy policy = exponential("three-days", minutes(1), hours(1), Jitter::Equal);
  policy.attempts_max = 16;
  policy.give_up_after = hours(72);
  return policy;
}

RetryPolicy storm_safe() {
  RetryPolicy policy = exponential("storm-safe", seconds(30), hours(1), Jitter::Full);
  policy.attempts_max = 5;
  policy.rules = {final_on(404), final_on(408)};  // Of the 4xx, 429 alone is tried again.
  return policy;
}

RetryPolicy webhookstream() {
  RetryPolicy policy =
      scheduled("webhookstream", {seconds(10), seconds(30), minutes(2), minutes(10), minutes(30),
                                  hours(2), hours(8), hours(24)});
  policy.rules = {final_on(404)};
  return policy;
}

RetryPolicy svix() {
  return scheduled("svix",
                   {seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(10)});
}

RetryPolicy standard_webhooks() {
  return scheduled("standard-webhooks", {seconds(5), minutes(5), minutes(30), hours(2), hours(5),
                                         hours(10), hours(14), hours(20), hours(24)});
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> kPresets = {
      {standard_webhooks(), "ten attempts over three days, as Standard Webhooks suggests"},
      {storm_safe(), "full jitter from 30 s; for receivers that fall over easily"},
      {three_days(), "exponential from a minute to an hour, at most three days"},
      {svix(), "the schedule of Svix: eight attempts in 28 hours"},
      {gethook(), "five attempts in 73 minutes"},
      {webhookstream(), "nine attempts in 35 hours"},
      {anyhook(), "six quick attempts within half a minute"},
  };
  return kPresets;
}

Result<RetryPolicy> find_preset(std::string_view name) {
  std::string names;
  for (const Preset& preset : presets()) {
    if (preset.name() == name) return preset.policy;
    names += names.empty() ? "" : ", ";
    names += preset.name();
  }
  return invalid("", fmt::format("{} is not a preset; there are {}", in_quotes(name), names));
}

}  // namespace petrel::policy
