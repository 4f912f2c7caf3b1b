#include "storm/short_policy.h"

#include <charconv>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "policy/retry_policy_json.h"

namespace petrel::storm {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A number if it reads as one, else text.
void write_value(std::string_view text, JsonWriter& json) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (const auto whole = parse_digits(text)) {
    json.value(*whole);
  } else if (is_number) {
    json.value(number);
  } else {
    json.value(text);
  }
}

// The delays in `text` with + between them.
void write_schedule(std::string_view text, bool has_attempts_max, JsonWriter& json) {
  const std::vector<std::string_view> delays = split(text, '+');
  json.key("schedule").begin_array();
  for (const std::string_view delay : delays) json.value(delay);
  json.end_array();
  if (!has_attempts_max) json.field("maxAttempts", static_cast<std::int64_t>(delays.size()) + 1);
}

}  // namespace

bool is_short_policy(std::string_view text) { return text.find(':') != std::string_view::npos; }

Result<policy::RetryPolicy> parse_short_policy(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2) return invalid("", "lacks a delay: write fixed:60s, or the like");
  JsonWriter json;
  json.begin_object().field("strategy", parts[0]);
  std::set<std::string_view> given;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      return invalid("", fmt::format("{} is not of the form field=value", in_quotes(parts[i])));
    }
    const std::string_view name = parts[i].substr(0, equals);
    given.insert(name);
    json.key(name);
    write_value(parts[i].substr(equals + 1), json);
  }
  if (parts[0] == "schedule") {
    write_schedule(parts[1], given.contains("maxAttempts"), json);
  } else {
    json.field("baseDelay", parts[1]);
  }
  if (!given.contains("jitter")) json.field("jitter", "none");
  json.end_object();
  return policy::parse_policy(json.text());
}

}  // namespace petrel::storm
