#include "app/simulate_options.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/policy_argument.h"
#include "base/duration_text.h"
#include "base/text.h"
#include "base/try.h"
#include "storm/short_policy.h"

namespace petrel::app {
namespace {

constexpr std::size_t kPoliciesMax = 12;  // More panels cannot be compared by eye.
constexpr std::size_t kNameMax = 48;

// Out of every range there is; validate() says which range it missed.
int to_int(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, -1, 1'000'000'000));
}

// "200/s" or "200".
Result<int> parse_capacity(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with("/s")) number.remove_suffix(2);
  if (const auto count = parse_digits(number)) return to_int(*count);
  return invalid("capacity", fmt::format("{} is not a rate: write requests a second, such as 200/s",
                                         in_quotes(text)));
}

Result<storm::OutageKind> parse_kind(std::string_view text) {
  for (const storm::OutageKind kind :
       {storm::OutageKind::Refuses, storm::OutageKind::Answers503, storm::OutageKind::Hangs}) {
    if (to_string(kind) == text) return kind;
  }
  return invalid("outage-kind", fmt::format("{} is not one of refuse, 503, hang", in_quotes(text)));
}

std::optional<Error> read_durations(const SimulateOptions& options, storm::Scenario& scenario) {
  struct Reading {
    std::string_view field;
    const std::string& text;
    Duration& place;
  };
  for (const Reading& reading :
       {Reading{"outage", options.outage, scenario.outage},
        Reading{"latency", options.latency, scenario.receiver.latency},
        Reading{"crash-after", options.crash_after, scenario.receiver.crash_after},
        Reading{"crash-for", options.crash_for, scenario.receiver.crash_for},
        Reading{"timeout", options.timeout, scenario.timeout},
        Reading{"duration", options.duration, scenario.length},
        Reading{"span", options.span, scenario.span},
        Reading{"outage-at", options.outage_at, scenario.outage_at}}) {
    if (reading.text.empty()) continue;
    const Result<Duration> duration = parse_duration(reading.text);
    if (!duration.ok()) return duration.error().under(reading.field);
    reading.place = *duration;
  }
  return std::nullopt;
}

std::vector<std::string> split_policies(const std::vector<std::string>& lists) {
  std::vector<std::string> policies;
  for (const std::string& list : lists) {
    for (std::size_t from = 0; from <= list.size();) {
      const std::size_t end = std::min(list.find(',', from), list.size());
      policies.push_back(list.substr(from, end - from));
      from = end + 1;
    }
  }
  return policies;
}

Result<policy::RetryPolicy> read_contender(const std::string& argument) {
  const bool is_short = !argument.starts_with('@') && storm::is_short_policy(argument);
  return is_short ? storm::parse_short_policy(argument) : read_policy(argument);
}

// A file's name can hold anything; what is shown of it cannot.
std::string shown_name(const std::string& argument) {
  std::string name = argument;
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '?');
  if (name.size() > kNameMax) name = name.substr(0, kNameMax - 3) + "...";
  return name;
}

std::string in_shell_quotes(const std::string& text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+@/";
  if (text.find_first_not_of(kSafe) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Result<storm::Scenario> read_scenario(const SimulateOptions& options) {
  storm::Scenario scenario;
  scenario.messages = to_int(options.events);
  scenario.batch = to_int(options.batch);
  scenario.in_flight_max = to_int(options.in_flight);
  const std::optional<std::int64_t> seed = parse_digits(options.seed);
  if (!seed) {
    return invalid("seed", fmt::format("{} is not a whole number that fits into 63 bits",
                                       in_quotes(options.seed)));
  }
  scenario.seed = static_cast<std::uint64_t>(*seed);
  ASSIGN_OR_RETURN(scenario.receiver.capacity, parse_capacity(options.capacity));
  ASSIGN_OR_RETURN(scenario.outage_kind, parse_kind(options.outage_kind));
  if (auto error = read_durations(options, scenario)) return *std::move(error);

  if (options.span.empty()) scenario.span = scenario.outage;
  if (options.outage_at.empty() && scenario.span > scenario.outage) {
    const Duration middle = (scenario.span - scenario.outage) / 2;
    scenario.outage_at = std::chrono::floor<std::chrono::milliseconds>(middle);
  }
  if (options.duration.empty()) {
    scenario.length = std::min(
        std::max(scenario.span, scenario.recovery()) + std::chrono::hours(24), storm::kLengthMax);
  }
  TRY(validate(scenario));
  return scenario;
}

Result<std::vector<storm::Contender>> read_contenders(const SimulateOptions& options) {
  const std::vector<std::string> arguments = split_policies(options.policies);
  if (arguments.size() > kPoliciesMax) {
    return invalid("policy", fmt::format("at most {} at a time", kPoliciesMax));
  }
  const std::string guards = options.is_without_breaker ? "off" : options.guards;
  std::vector<storm::Contender> contenders;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (std::find(arguments.begin(), argument, *argument) != argument) {
      return invalid("policy", fmt::format("{} is given twice", in_quotes(*argument)));
    }
    const Result<policy::RetryPolicy> policy = read_contender(*argument);
    if (!policy.ok()) {
      Error error = policy.error();
      error.detail = fmt::format("{}: {}", in_quotes(*argument), error.text());
      error.field = "policy";
      return error;
    }
    const std::string name = shown_name(*argument);
    if (guards != "on") contenders.push_back({name, *policy, false});
    if (guards != "off") contenders.push_back({name, *policy, true});
  }
  return contenders;
}

std::string command_for(const storm::Scenario& scenario, const SimulateOptions& options) {
  const storm::ReceiverSettings& receiver = scenario.receiver;
  std::string policies;
  for (const std::string& policy : split_policies(options.policies)) {
    policies += (policies.empty() ? "" : ",") + policy;
  }
  return fmt::format(
      "petrel simulate --events {} --batch {} --span {} --outage {} --outage-at {} \\\n"
      "  --outage-kind {} --capacity {}/s --latency {} --crash-after {} --crash-for {} \\\n"
      "  --in-flight {} --timeout {} --duration {} --seed {} --guards {} \\\n  --policy {}",
      scenario.messages, scenario.batch, to_text(scenario.span), to_text(scenario.outage),
      to_text(scenario.outage_at), to_string(scenario.outage_kind), receiver.capacity,
      to_text(receiver.latency), to_text(receiver.crash_after), to_text(receiver.crash_for),
      scenario.in_flight_max, to_text(scenario.timeout), to_text(scenario.length), scenario.seed,
      options.is_without_breaker ? "off" : options.guards, in_shell_quotes(policies));
}

}  // namespace petrel::app
