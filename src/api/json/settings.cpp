#include "api/json/settings.h"

#include "base/duration_text.h"

namespace petrel::api {
namespace {

void write_or_null(std::string_view name, const std::optional<int>& number, JsonWriter& json) {
  json.key(name);
  if (number) {
    json.value(*number);
  } else {
    json.null();
  }
}

}  // namespace

void write_settings(const SettingsView& settings, JsonWriter& json) {
  write_or_null("throttleRate", settings.throttle_rate, json);
  if (settings.throttle_rate) json.field("rateLimit", *settings.throttle_rate);
  json.key("retryPolicy");
  if (settings.retry_policy) {
    policy::write_policy(*settings.retry_policy, json);
  } else {
    json.null();
  }
  write_or_null("maxInFlight", settings.in_flight_max, json);
  json.key("timeout");
  if (settings.timeout) {
    json.value(to_text(*settings.timeout));
  } else {
    json.null();
  }
  json.key("guards");
  if (settings.guards) {
    policy::write_guards(*settings.guards, json);
  } else {
    json.null();
  }
}

}  // namespace petrel::api
