// Guards is what a user sets of an endpoint's protection: when its circuit opens and for how long,
// how traffic comes back, when it is paused. Whatever is not set is as the lane has it.
//
//   {"openAfter": 5, "openTime": "30s", "rampStep": "10s"}
//
// Of endpoint, application and server the nearest one wins whole, as with retry policies.
//
// Thread: any. A value.

#pragma once

#include <optional>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "base/time.h"

namespace petrel::policy {

struct Guards {
  // The circuit opens after so many failures in a row …
  std::optional<int> open_after = {};

  // … or when so many percent of at least so many attempts within the window failed …
  std::optional<Duration> open_window = {};
  std::optional<int> open_window_attempts = {};
  std::optional<int> open_window_percent = {};

  // … or when so many deliveries were exhausted within that window, with no success.
  std::optional<int> open_exhausted = {};
  std::optional<Duration> open_exhausted_window = {};

  // How long it stays open at least, and at most.
  std::optional<Duration> open_time = {};
  std::optional<Duration> open_time_max = {};

  // The ramp: how long a step takes, from how many percent of failures on it is repeated, how many
  // requests are in flight in the first one, and what the former rate is divided by for it.
  std::optional<Duration> ramp_step = {};
  std::optional<int> ramp_percent = {};
  std::optional<int> ramp_in_flight = {};
  std::optional<int> ramp_divisor = {};

  // Whether what failed while the receiver was away is due at once when it is back.
  std::optional<bool> release_after_outage = {};

  // The endpoint is paused after more permanent failures in a row than this.
  std::optional<int> pause_after = {};

  friend bool operator==(const Guards&, const Guards&) = default;
};

// Invalid if it is no object, has a field that there is none of, or a value that is out of range;
// the error names the field.
Result<Guards> guards_from_json(const JsonValue& json);

// Only what is set.
void write_guards(const Guards& guards, JsonWriter& json);

}  // namespace petrel::policy
