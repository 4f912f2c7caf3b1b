// The delivery settings that applications and endpoints have in common, in JSON.
//
//   "throttleRate": 20, "retryPolicy": "gentle" or {…}, "maxInFlight": 5, "timeout": "15s",
//   "guards": {"openAfter": 5}
//
// Each of them may be null: an endpoint then inherits from its application, an application from
// the server. `rateLimit` is an older name of `throttleRate`.
//
// Thread: any.

#pragma once

#include <chrono>

#include "api/json/fields.h"
#include "policy/guards.h"
#include "policy/retry_policy_json.h"

namespace petrel::api {

inline constexpr IntegerReading kReadThrottleRate{1, 65'535};
inline constexpr IntegerReading kReadInFlightMax{1, 1000};
inline constexpr DurationReading kReadTimeout{std::chrono::seconds(1), std::chrono::seconds(300)};

// `T` is an Application or an Endpoint.
template <typename T>
Status take_settings(const Fields& fields, T& record) {
  const std::string_view rate = fields.first_of({"throttleRate", "rateLimit"});
  return first_error({
      take_or_clear(fields, rate, record.throttle_rate, kReadThrottleRate),
      take_or_clear(fields, "retryPolicy", record.retry_policy, policy::policy_from_json),
      take_or_clear(fields, "maxInFlight", record.in_flight_max, kReadInFlightMax),
      take_or_clear(fields, "timeout", record.timeout, kReadTimeout),
      take_or_clear(fields, "guards", record.guards, policy::guards_from_json),
  });
}

struct SettingsView {
  const std::optional<int>& throttle_rate;
  const std::optional<policy::RetryPolicy>& retry_policy;
  const std::optional<int>& in_flight_max;
  const std::optional<Duration>& timeout;
  const std::optional<policy::Guards>& guards;
};

void write_settings(const SettingsView& settings, JsonWriter& json);

template <typename T>
void write_settings_of(const T& record, JsonWriter& json) {
  write_settings({record.throttle_rate, record.retry_policy, record.in_flight_max, record.timeout,
                  record.guards},
                 json);
}

}  // namespace petrel::api
