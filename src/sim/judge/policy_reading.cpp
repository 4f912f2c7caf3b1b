#include "sim/judge/policy_reading.h"

#include <algorithm>
#include <utility>

#include "base/duration_text.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

using Jitter = Policy::Jitter;
using Strategy = Policy::Strategy;

constexpr int kPresetPercent = 20;

Treatment final_on(std::string_view on) {
  return {.action = Action::Fail, .attempts_max = std::nullopt, .on = std::string(on)};
}

Policy scheduled(std::vector<Duration> delays, std::vector<Treatment> rules = {}) {
  Policy policy;
  policy.strategy = Strategy::Schedule;
  policy.attempts_max = static_cast<int>(delays.size()) + 1;
  policy.schedule = std::move(delays);
  policy.jitter = Jitter::Percent;
  policy.jitter_percent = kPresetPercent;
  policy.rules = std::move(rules);
  return policy;
}

Policy exponential(Duration base, Duration max, Jitter jitter, int attempts_max) {
  Policy policy;
  policy.base = base;
  policy.max = max;
  policy.jitter = jitter;
  policy.attempts_max = attempts_max;
  return policy;
}

Policy three_days() {
  Policy policy = exponential(minutes(1), hours(1), Jitter::Equal, 16);
  policy.give_up_after = hours(72);
  return policy;
}

Policy storm_safe() {
  Policy policy = exponential(seconds(30), hours(1), Jitter::Full, 5);
  policy.rules = {final_on("404"), final_on("408")};
  return policy;
}

Policy anyhook() {
  Policy policy = exponential(seconds(1), seconds(60), Jitter::Equal, 6);
  policy.give_up_after = hours(24);
  policy.rules = {final_on("404")};
  return policy;
}

Treatment read_rule(const JsonValue& json) {
  Treatment rule{.action = Action::Retry,
                 .attempts_max = int_field(json, "maxAttempts"),
                 .on = text_field(json, "on").value_or("")};
  const std::string action = text_field(json, "action").value_or("retry");
  if (action == "fail") rule.action = Action::Fail;
  if (action == "pause") rule.action = Action::Pause;
  if (action == "success") rule.action = Action::Success;
  return rule;
}

void read_strategy(const JsonValue& json, Policy& policy) {
  const std::string strategy = text_field(json, "strategy").value_or("exponential");
  if (strategy == "fixed") policy.strategy = Strategy::Fixed;
  if (strategy == "linear") policy.strategy = Strategy::Linear;
  if (strategy == "schedule") policy.strategy = Strategy::Schedule;
  const JsonValue* const schedule = field(json, "schedule");
  const JsonValue::Array* const delays = schedule == nullptr ? nullptr : schedule->as_array();
  if (delays == nullptr) return;
  for (const JsonValue& delay : *delays) {
    if (const auto read = read_duration(delay)) policy.schedule.push_back(*read);
  }
}

void read_jitter(const JsonValue& json, Policy& policy) {
  const std::string jitter = text_field(json, "jitter").value_or("equal");
  if (jitter == "none") policy.jitter = Jitter::None;
  if (jitter == "full") policy.jitter = Jitter::Full;
  if (jitter == "decorrelated") policy.jitter = Jitter::Decorrelated;
  if (jitter == "percent") policy.jitter = Jitter::Percent;
  policy.jitter_percent = int_field(json, "jitterPercent").value_or(0);
}

// What is left out makes room for what is given (docs/retry-policy.md, "Fields").
void read_delays(const JsonValue& json, Policy& policy) {
  const auto base = duration_field(json, "baseDelay");
  const auto max = duration_field(json, "maxDelay");
  policy.base = base.value_or(std::min(figures::kBaseDelay, max.value_or(figures::kMaxDelay)));
  policy.max = figures::kMaxDelay;
  for (const Duration delay : policy.schedule) policy.max = std::max(policy.max, delay);
  policy.max = max.value_or(std::max(policy.max, policy.base));
}

bool is_status(std::string_view on) {
  return on.size() == 3 &&
         std::all_of(on.begin(), on.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Treatment built_in(Reply kind, int status) {
  Treatment treatment{
      .action = Action::Retry, .attempts_max = std::nullopt, .on = word_of(kind, status)};
  if (kind == Reply::Dns || (kind == Reply::Answered && status == 404)) {
    treatment.attempts_max = figures::kAmbiguousAttempts;
  } else if (kind == Reply::Answered) {
    const bool is_tried_again = status == 408 || status == 429;
    if (status / 100 == 2) treatment.action = Action::Success;
    if (status / 100 == 3 || (status / 100 == 4 && !is_tried_again))
      treatment.action = Action::Fail;
    if (status == 410) treatment.action = Action::Pause;
  }
  return treatment;
}

}  // namespace

Policy preset(std::string_view name) {
  if (name == "storm-safe") return storm_safe();
  if (name == "three-days") return three_days();
  if (name == "anyhook") return anyhook();
  if (name == "svix") {
    return scheduled(
        {seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(10)});
  }
  if (name == "gethook") {
    return scheduled({seconds(30), minutes(2), minutes(10), hours(1)}, {final_on("404")});
  }
  if (name == "webhookstream") {
    return scheduled({seconds(10), seconds(30), minutes(2), minutes(10), minutes(30), hours(2),
                      hours(8), hours(24)},
                     {final_on("404")});
  }
  return scheduled({seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14),
                    hours(20), hours(24)});
}

Policy read_policy(const JsonValue& json) {
  if (const std::string* const name = json.as_string()) return preset(*name);
  Policy policy;
  read_strategy(json, policy);
  read_jitter(json, policy);
  read_delays(json, policy);
  policy.multiplier = number_field(json, "multiplier").value_or(figures::kMultiplier);
  policy.attempts_max = int_field(json, "maxAttempts").value_or(figures::kMaxAttempts);
  policy.give_up_after = duration_field(json, "giveUpAfter").value_or(figures::kGiveUpAfter);
  policy.retry_after_cap = duration_field(json, "retryAfterCap").value_or(figures::kRetryAfterCap);
  const JsonValue* const rules = field(json, "rules");
  const JsonValue::Array* const list = rules == nullptr ? nullptr : rules->as_array();
  if (list == nullptr) return policy;
  for (const JsonValue& rule : *list) policy.rules.push_back(read_rule(rule));
  return policy;
}

std::string word_of(Reply kind, int status) {
  switch (kind) {
    case Reply::Answered:
      return std::to_string(status);
    case Reply::Dns:
      return "dns";
    case Reply::Connect:
      return "connect";
    case Reply::Tls:
      return "tls";
    case Reply::Timeout:
      return "timeout";
    case Reply::Reset:
    case Reply::StaleReset:
      return "reset";
    case Reply::Protocol:
      return "protocol";
    case Reply::Blocked:
    case Reply::OurFault:
    case Reply::ResolverFault:
      break;
  }
  return {};
}

bool covers(std::string_view on, Reply kind, int status) {
  if (on == word_of(kind, status)) return true;
  const bool is_class = on.size() == 3 && on.substr(1) == "xx";
  return is_class && kind == Reply::Answered && on[0] - '0' == status / 100;
}

Treatment treatment_of(const Policy& policy, Reply kind, int status) {
  const Treatment* best = nullptr;
  for (const Treatment& rule : policy.rules) {
    if (!covers(rule.on, kind, status)) continue;
    if (best == nullptr || is_status(rule.on)) best = &rule;
  }
  return best == nullptr ? built_in(kind, status) : *best;
}

}  // namespace petrel::sim::judge
