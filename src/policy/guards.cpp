#include "policy/guards.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

template <typename T>
struct Field {
  std::string_view name;
  std::optional<T> Guards::*place;
  T min;
  T max;
};

constexpr std::array<Field<int>, 8> kNumbers = {{
    {"openAfter", &Guards::open_after, 1, 10'000},
    {"openWindowAttempts", &Guards::open_window_attempts, 1, 10'000},
    {"openWindowPercent", &Guards::open_window_percent, 1, 100},
    {"openExhausted", &Guards::open_exhausted, 1, 1000},
    {"rampPercent", &Guards::ramp_percent, 1, 100},
    {"rampInFlight", &Guards::ramp_in_flight, 1, 1000},
    {"rampDivisor", &Guards::ramp_divisor, 1, 1000},
    {"pauseAfter", &Guards::pause_after, 1, 1'000'000},
}};

constexpr std::array<Field<Duration>, 5> kDurations = {{
    {"openWindow", &Guards::open_window, seconds(1), minutes(2)},
    {"openExhaustedWindow", &Guards::open_exhausted_window, minutes(1), hours(30 * 24)},
    {"openTime", &Guards::open_time, seconds(1), hours(24)},
    {"openTimeMax", &Guards::open_time_max, seconds(1), hours(24)},
    {"rampStep", &Guards::ramp_step, seconds(1), minutes(10)},
}};

constexpr std::string_view kRelease = "releaseAfterOutage";

Error wrong_kind(const JsonValue& value, std::string_view expected) {
  return invalid("", fmt::format("must be {}, not {}", expected, value.kind_name()));
}

Result<int> read(const JsonValue& value, const Field<int>& field) {
  const std::int64_t* number = value.as_integer();
  if (number == nullptr) return wrong_kind(value, "a whole number");
  if (*number < field.min || *number > field.max) {
    return invalid("", fmt::format("must be {} to {}", field.min, field.max));
  }
  return static_cast<int>(*number);
}

Result<Duration> read(const JsonValue& value, const Field<Duration>& field) {
  if (value.as_string() == nullptr) {
    return wrong_kind(value, "a duration as a string, such as \"30s\"");
  }
  const Result<Duration> duration = parse_duration(*value.as_string());
  if (!duration.ok()) return duration;
  if (*duration < field.min || *duration > field.max) {
    return invalid("", fmt::format("must be {} to {}", to_text(field.min), to_text(field.max)));
  }
  if (*duration % seconds(1) != Duration::zero()) return invalid("", "must be whole seconds");
  return duration;
}

// False if it is none of these.
template <typename T, std::size_t N>
Result<bool> take(const std::array<Field<T>, N>& fields, std::string_view name,
                  const JsonValue& value, Guards& guards) {
  for (const Field<T>& field : fields) {
    if (field.name != name) continue;
    ASSIGN_OR_RETURN(guards.*field.place, under(name, read(value, field)));
    return true;
  }
  return false;
}

Result<bool> take_release(std::string_view name, const JsonValue& value, Guards& guards) {
  if (name != kRelease) return false;
  const bool* flag = value.as_bool();
  if (flag == nullptr) return wrong_kind(value, "true or false").under(name);
  guards.release_after_outage = *flag;
  return true;
}

}  // namespace

Result<Guards> guards_from_json(const JsonValue& json) {
  if (json.as_object() == nullptr) return wrong_kind(json, "an object");
  Guards guards;
  for (const auto& [name, value] : *json.as_object()) {
    if (value.is_null()) continue;
    Result<bool> is_taken = take(kNumbers, name, value, guards);
    if (is_taken.ok() && !*is_taken) is_taken = take(kDurations, name, value, guards);
    if (is_taken.ok() && !*is_taken) is_taken = take_release(name, value, guards);
    if (!is_taken.ok()) return is_taken.error();
    if (!*is_taken) return invalid(name, "is not a setting that there is");
  }
  // A first time beyond the usual longest one brings that along.
  if (guards.open_time && guards.open_time_max && *guards.open_time > *guards.open_time_max) {
    return invalid("openTime", "must not be more than openTimeMax");
  }
  return guards;
}

void write_guards(const Guards& guards, JsonWriter& json) {
  json.begin_object();
  for (const Field<int>& field : kNumbers) {
    if (guards.*field.place) json.field(field.name, *(guards.*field.place));
  }
  for (const Field<Duration>& field : kDurations) {
    if (guards.*field.place) json.field(field.name, to_text(*(guards.*field.place)));
  }
  if (guards.release_after_outage) json.field(kRelease, *guards.release_after_outage);
  json.end_object();
}

}  // namespace petrel::policy
