#include "sim/judge/settings_reading.h"

#include <algorithm>
#include <array>

#include "base/url.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

// The nearest one that has the field.
const JsonValue* nearest(const std::array<const JsonValue*, 3>& objects, std::string_view name) {
  for (const JsonValue* const object : objects) {
    if (const JsonValue* const value = field(*object, name)) return value;
  }
  return nullptr;
}

void take(std::optional<int> read, int& place) { place = read.value_or(place); }
void take(std::optional<Duration> read, Duration& place) { place = read.value_or(place); }

std::optional<int> rate_of(const JsonValue& object) {
  const auto rate = int_field(object, "throttleRate");
  return rate ? rate : int_field(object, "rateLimit");
}

}  // namespace

std::string origin_of(const std::string& url) {
  const Result<Url> parsed = Url::parse(url);
  return parsed.ok() ? parsed->origin() : url;
}

bool Settings::wants(const std::string& event_type,
                     const std::vector<std::string>& of_message) const {
  if (is_disabled) return false;
  const bool is_type =
      event_types.empty() || std::count(event_types.begin(), event_types.end(), event_type) > 0;
  if (!is_type || channels.empty()) return is_type;
  return std::any_of(of_message.begin(), of_message.end(), [&](const std::string& channel) {
    return std::count(channels.begin(), channels.end(), channel) > 0;
  });
}

Guards read_guards(const JsonValue& json) {
  Guards guards;
  take(int_field(json, "openAfter"), guards.open_after);
  take(duration_field(json, "openWindow"), guards.open_window);
  take(int_field(json, "openWindowAttempts"), guards.open_window_attempts);
  take(int_field(json, "openWindowPercent"), guards.open_window_percent);
  take(int_field(json, "openExhausted"), guards.open_exhausted);
  take(duration_field(json, "openExhaustedWindow"), guards.open_exhausted_window);
  take(duration_field(json, "openTime"), guards.open_time);
  take(duration_field(json, "openTimeMax"), guards.open_time_max);
  take(duration_field(json, "rampStep"), guards.ramp_step);
  take(int_field(json, "rampPercent"), guards.ramp_percent);
  take(int_field(json, "rampInFlight"), guards.ramp_in_flight);
  take(int_field(json, "rampDivisor"), guards.ramp_divisor);
  guards.releases = bool_field(json, "releaseAfterOutage").value_or(true);
  take(int_field(json, "pauseAfter"), guards.pause_after);
  // Where only one of them is given, the default of the other makes room for it.
  if (!duration_field(json, "openTime")) {
    guards.open_time = std::min(guards.open_time, guards.open_time_max);
  }
  guards.open_time_max = std::max(guards.open_time_max, guards.open_time);
  return guards;
}

Settings read_settings(const JsonValue& endpoint, const JsonValue& application,
                       const JsonValue& server) {
  const std::array<const JsonValue*, 3> objects = {&endpoint, &application, &server};
  Settings settings;
  settings.url = text_field(endpoint, "url").value_or("");
  settings.origin = origin_of(settings.url);
  settings.is_disabled = bool_field(endpoint, "disabled").value_or(false);
  settings.event_types = words_field(endpoint, "eventTypes");
  if (settings.event_types.empty()) settings.event_types = words_field(endpoint, "filterTypes");
  settings.channels = words_field(endpoint, "channels");
  settings.rate = rate_of(endpoint);
  settings.rate_of_application = rate_of(application);
  if (const JsonValue* const value = nearest(objects, "maxInFlight")) {
    if (value->as_integer() != nullptr) {
      settings.max_in_flight = static_cast<int>(*value->as_integer());
    }
  }
  if (const JsonValue* const value = nearest(objects, "timeout")) {
    settings.timeout = read_duration(*value).value_or(settings.timeout);
  }
  if (const JsonValue* const value = nearest(objects, "retryPolicy")) {
    settings.policy = read_policy(*value);
  }
  if (const JsonValue* const value = nearest(objects, "guards")) {
    settings.guards = read_guards(*value);
  }
  return settings;
}

}  // namespace petrel::sim::judge
