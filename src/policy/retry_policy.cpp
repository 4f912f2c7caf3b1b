#include "policy/retry_policy.h"

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::policy {
namespace {

Status check_duration(std::string_view field, Duration value, Duration least, Duration most) {
  if (value >= least && value <= most) return Done{};
  return invalid(field, fmt::format("must be between {} and {}", to_text(least), to_text(most)));
}

Status check_delay(std::string_view field, Duration value) {
  return check_duration(field, value, Duration::zero(), kDelayMax);
}

Status check_count(std::string_view field, int value, int least, int most) {
  if (value >= least && value <= most) return Done{};
  return invalid(field, fmt::format("must be between {} and {}", least, most));
}

Status check_schedule(const Backoff& backoff) {
  if (backoff.strategy != Strategy::Schedule) {
    if (backoff.schedule.empty()) return Done{};
    return invalid("schedule", "goes only with the strategy \"schedule\"");
  }
  if (backoff.schedule.empty()) {
    return invalid("schedule", "must list at least one delay, such as [\"5s\", \"5m\"]");
  }
  if (backoff.schedule.size() > kScheduleMax) {
    return invalid("schedule", fmt::format("may list at most {} delays", kScheduleMax));
  }
  for (std::size_t i = 0; i < backoff.schedule.size(); ++i) {
    const std::string field = fmt::format("schedule[{}]", i);
    TRY(check_delay(field, backoff.schedule[i]));
    if (backoff.schedule[i] > backoff.delay_max) {
      return invalid(field,
                     fmt::format("is longer than maxDelay ({})", to_text(backoff.delay_max)));
    }
  }
  return Done{};
}

Status check_backoff(const Backoff& backoff) {
  TRY(check_delay("baseDelay", backoff.delay_base));
  TRY(check_delay("maxDelay", backoff.delay_max));
  if (!(backoff.multiplier >= kMultiplierMin && backoff.multiplier <= kMultiplierMax)) {
    return invalid("multiplier", "must be between 1 and 10");
  }
  TRY(check_schedule(backoff));
  if (backoff.strategy != Strategy::Schedule && backoff.delay_base > backoff.delay_max) {
    return invalid("baseDelay",
                   fmt::format("is longer than maxDelay ({})", to_text(backoff.delay_max)));
  }
  if (backoff.jitter == Jitter::Decorrelated && backoff.strategy == Strategy::Schedule) {
    return invalid("jitter",
                   "\"decorrelated\" builds on the delay before and does not go with a schedule");
  }
  return check_count("jitterPercent", backoff.jitter_percent, 0, 100);
}

Status check_rule(const RetryPolicy& policy, std::size_t index) {
  const Rule& rule = policy.rules[index];
  const auto field = [&](std::string_view name) {
    return fmt::format("rules[{}].{}", index, name);
  };
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    if (policy.rules[earlier].on == rule.on) {
      return invalid(field("on"),
                     fmt::format("\"{}\" has a rule already, rules[{}]", rule.on.text(), earlier));
    }
  }
  if (rule.action == Action::Success && !rule.on.is_answer()) {
    return invalid(field("action"),
                   "\"success\" needs an answer; without one nothing was delivered");
  }
  if (!rule.attempts_max) return Done{};
  if (rule.action != Action::Retry) {
    return invalid(field("maxAttempts"), "goes only with the action \"retry\"");
  }
  return check_count(field("maxAttempts"), *rule.attempts_max, 1, kAttemptsMax);
}

}  // namespace

Status validate(const RetryPolicy& policy) {
  TRY(check_backoff(policy.backoff));
  TRY(check_count("maxAttempts", policy.attempts_max, 1, kAttemptsMax));
  TRY(check_duration("giveUpAfter", policy.give_up_after, std::chrono::milliseconds(1),
                     kGiveUpAfterMax));
  TRY(check_delay("retryAfterCap", policy.retry_after_cap));
  if (policy.rules.size() > kRulesMax) {
    return invalid("rules", fmt::format("may list at most {} rules", kRulesMax));
  }
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    TRY(check_rule(policy, i));
  }
  return Done{};
}

const RetryPolicy& nearest(const std::optional<RetryPolicy>& endpoint,
                           const std::optional<RetryPolicy>& application,
                           const RetryPolicy& server) {
  if (endpoint) return *endpoint;
  return application ? *application : server;
}

}  // namespace petrel::policy
