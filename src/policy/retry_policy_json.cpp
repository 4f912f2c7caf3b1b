#include "policy/retry_policy_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/text.h"
#include "base/try.h"
#include "policy/presets.h"

namespace petrel::policy {
namespace {

constexpr std::array<std::string_view, 4> kStrategyNames = {"fixed", "linear", "exponential",
                                                            "schedule"};
constexpr std::array<std::string_view, 5> kJitterNames = {"none", "full", "equal", "decorrelated",
                                                          "percent"};

Error wrong_kind(const JsonValue& value, std::string_view expected) {
  return invalid("", fmt::format("must be {}, not {}", expected, value.kind_name()));
}

Result<Duration> read_duration(const JsonValue& value) {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "a duration as a string, such as \"30s\"");
  return parse_duration(*text);
}

Result<int> read_int(const JsonValue& value) {
  const std::int64_t* number = value.as_integer();
  if (number == nullptr) return wrong_kind(value, "a whole number");
  // Out of every range there is; validate() says which range it missed.
  return static_cast<int>(std::clamp<std::int64_t>(*number, -1, 1'000'000));
}

template <std::size_t N>
Result<std::size_t> read_name(const JsonValue& value,
                              const std::array<std::string_view, N>& names) {
  const std::string* text = value.as_string();
  for (std::size_t i = 0; text != nullptr && i < N; ++i) {
    if (*text == names[i]) return i;
  }
  std::string list;
  for (const std::string_view name : names) {
    list += list.empty() ? "" : ", ";
    list += name;
  }
  if (text == nullptr) return wrong_kind(value, "one of " + list);
  return invalid("", fmt::format("{} is not one of {}", in_quotes(*text), list));
}

// Moves a Result's value to where it belongs. The error is handed on as it is.
template <typename From, typename To>
Status store(Result<From> result, To& place) {
  if (!result.ok()) return result.error();
  place = static_cast<To>(*std::move(result));
  return Done{};
}

Result<Rule> rule_from_json(const JsonValue& json) {
  const JsonValue::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(json, "an object");
  std::optional<Selector> on;
  std::optional<Action> action;
  std::optional<int> attempts_max;
  for (const auto& [name, value] : *object) {
    const std::string* text = value.as_string();
    Status status = Done{};
    if (name == "on") {
      status = text == nullptr ? Status(wrong_kind(value, "a string, such as \"404\" or \"5xx\""))
                               : store(Selector::parse(*text), on);
    } else if (name == "action") {
      status = text == nullptr ? Status(wrong_kind(value, "one of success, retry, fail, pause"))
                               : store(parse_action(*text), action);
    } else if (name == "maxAttempts") {
      status = store(read_int(value), attempts_max);
    } else {
      status = invalid("", "is not a field of a rule; there are on, action, maxAttempts");
    }
    if (!status.ok()) return status.error().under(name);
  }
  if (!on) return invalid("on", "is missing: say what the rule is for, such as \"404\" or \"5xx\"");
  if (!action) return invalid("action", "is missing: one of success, retry, fail, pause");
  return Rule{*on, *action, attempts_max};
}

Result<std::vector<Rule>> rules_from_json(const JsonValue& json) {
  const JsonValue::Array* array = json.as_array();
  if (array == nullptr) return wrong_kind(json, "a list of rules");
  if (array->size() > kRulesMax) {
    return invalid("", fmt::format("may list at most {} rules", kRulesMax));
  }
  std::vector<Rule> rules;
  for (const JsonValue& item : *array) {
    Result<Rule> rule = rule_from_json(item);
    if (!rule.ok()) return rule.error().under(fmt::format("[{}]", rules.size()));
    rules.push_back(*rule);
  }
  return rules;
}

Result<std::vector<Duration>> schedule_from_json(const JsonValue& json) {
  const JsonValue::Array* array = json.as_array();
  if (array == nullptr) return wrong_kind(json, "a list of durations");
  if (array->size() > kScheduleMax) {
    return invalid("", fmt::format("may list at most {} delays", kScheduleMax));
  }
  std::vector<Duration> schedule;
  for (const JsonValue& item : *array) {
    Result<Duration> delay = read_duration(item);
    if (!delay.ok()) return delay.error().under(fmt::format("[{}]", schedule.size()));
    schedule.push_back(*delay);
  }
  return schedule;
}

// What the user wrote, before defaults: whether a field was given matters to the checks.
struct Draft {
  RetryPolicy policy;
  std::optional<Duration> delay_base;
  std::optional<Duration> delay_max;
  std::optional<double> multiplier;
  std::optional<int> jitter_percent;

  Status read(std::string_view name, const JsonValue& value);
  Status finish();
};

Status Draft::read(std::string_view name, const JsonValue& value) {
  if (name == "strategy") return store(read_name(value, kStrategyNames), policy.backoff.strategy);
  if (name == "jitter") return store(read_name(value, kJitterNames), policy.backoff.jitter);
  if (name == "baseDelay") return store(read_duration(value), delay_base);
  if (name == "maxDelay") return store(read_duration(value), delay_max);
  if (name == "schedule") return store(schedule_from_json(value), policy.backoff.schedule);
  if (name == "jitterPercent") return store(read_int(value), jitter_percent);
  if (name == "maxAttempts") return store(read_int(value), policy.attempts_max);
  if (name == "giveUpAfter") return store(read_duration(value), policy.give_up_after);
  if (name == "retryAfterCap") return store(read_duration(value), policy.retry_after_cap);
  if (name == "rules") return store(rules_from_json(value), policy.rules);
  if (name == "multiplier") {
    multiplier = value.as_number();
    return multiplier ? Status(Done{}) : Status(wrong_kind(value, "a number"));
  }
  return invalid("",
                 "is not a field of a retry policy; there are strategy, baseDelay, multiplier, "
                 "maxDelay, schedule, jitter, jitterPercent, maxAttempts, giveUpAfter, "
                 "retryAfterCap, rules");
}

Status Draft::finish() {
  Backoff& backoff = policy.backoff;
  const bool is_schedule = backoff.strategy == Strategy::Schedule;
  if (multiplier && backoff.strategy != Strategy::Exponential) {
    return invalid("multiplier", "goes only with the strategy \"exponential\"");
  }
  if (delay_base && is_schedule) {
    return invalid("baseDelay",
                   "does not go with the strategy \"schedule\", which lists its delays");
  }
  if ((backoff.jitter == Jitter::Percent) != jitter_percent.has_value()) {
    return invalid("jitterPercent", jitter_percent ? "goes only with the jitter \"percent\""
                                                   : "is missing: the jitter \"percent\" needs it");
  }
  backoff.multiplier = multiplier.value_or(backoff.multiplier);
  backoff.jitter_percent = jitter_percent.value_or(0);

  // A limit that was left out makes room for the one that was given.
  Duration longest = delay_base.value_or(Duration::zero());
  for (const Duration delay : backoff.schedule) longest = std::max(longest, delay);
  backoff.delay_base =
      delay_base.value_or(std::min(backoff.delay_base, delay_max.value_or(backoff.delay_base)));
  backoff.delay_max = delay_max.value_or(std::max(backoff.delay_max, std::min(longest, kDelayMax)));
  return validate(policy);
}

void write_rules(const std::vector<Rule>& rules, JsonWriter& json) {
  json.key("rules").begin_array();
  for (const Rule& rule : rules) {
    json.begin_object();
    json.field("on", rule.on.text()).field("action", to_string(rule.action));
    if (rule.attempts_max) json.field("maxAttempts", *rule.attempts_max);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Result<RetryPolicy> policy_from_json(const JsonValue& json) {
  if (const std::string* name = json.as_string()) return find_preset(*name);
  const JsonValue::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(json, "an object or the name of a preset");
  Draft draft;
  for (const auto& [name, value] : *object) {
    TRY(under(name, draft.read(name, value)));
  }
  TRY(draft.finish());
  return std::move(draft.policy);
}

Result<RetryPolicy> parse_policy(std::string_view text) {
  ASSIGN_OR_RETURN(JsonValue json, parse_json(text));
  return policy_from_json(json);
}

void write_policy(const RetryPolicy& policy, JsonWriter& json) {
  if (policy.preset.empty()) {
    write_policy_whole(policy, json);
  } else {
    json.value(policy.preset);
  }
}

void write_policy_whole(const RetryPolicy& policy, JsonWriter& json) {
  const Backoff& backoff = policy.backoff;
  json.begin_object();
  json.field("strategy", kStrategyNames[static_cast<std::size_t>(backoff.strategy)]);
  if (backoff.strategy == Strategy::Schedule) {
    json.key("schedule").begin_array();
    for (const Duration delay : backoff.schedule) json.value(to_text(delay));
    json.end_array();
  } else {
    json.field("baseDelay", to_text(backoff.delay_base));
  }
  if (backoff.strategy == Strategy::Exponential) json.field("multiplier", backoff.multiplier);
  json.field("maxDelay", to_text(backoff.delay_max));
  json.field("jitter", kJitterNames[static_cast<std::size_t>(backoff.jitter)]);
  if (backoff.jitter == Jitter::Percent) json.field("jitterPercent", backoff.jitter_percent);
  json.field("maxAttempts", policy.attempts_max);
  json.field("giveUpAfter", to_text(policy.give_up_after));
  json.field("retryAfterCap", to_text(policy.retry_after_cap));
  if (!policy.rules.empty()) write_rules(policy.rules, json);
  json.end_object();
}

}  // namespace petrel::policy
