// Settings is what holds for one endpoint at one moment, as the judge reads it from the JSON that
// people sent: the endpoint's own, else its application's, else the server's. Of policies and
// guards the nearest one wins whole.
//
// Thread: any. Values.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "sim/judge/figures.h"
#include "sim/judge/policy_reading.h"

namespace petrel::sim::judge {

struct Guards {
  int open_after = figures::kOpenAfter;
  Duration open_window = figures::kOpenWindow;
  int open_window_attempts = figures::kOpenWindowAttempts;
  int open_window_percent = figures::kOpenWindowPercent;
  int open_exhausted = figures::kOpenExhausted;
  Duration open_exhausted_window = figures::kOpenExhaustedWindow;
  Duration open_time = figures::kOpenTime;
  Duration open_time_max = figures::kOpenTimeMax;
  Duration ramp_step = figures::kRampStep;
  int ramp_percent = figures::kRampPercent;
  int ramp_in_flight = figures::kRampInFlight;
  int ramp_divisor = figures::kRampDivisor;
  bool releases = true;
  int pause_after = figures::kPauseAfter;

  friend bool operator==(const Guards&, const Guards&) = default;
};

struct Settings {
  std::string url = {};
  std::string origin = {};  // Scheme, host and port of it: the authority.
  bool is_disabled = false;
  std::vector<std::string> event_types = {};  // Empty: all.
  std::vector<std::string> channels = {};
  int max_in_flight = figures::kMaxInFlight;
  std::optional<int> rate = std::nullopt;  // Of the endpoint alone.
  std::optional<int> rate_of_application = std::nullopt;
  Duration timeout = figures::kTimeout;
  Policy policy = preset("standard-webhooks");
  Guards guards = {};

  // Whether a message of this type and these channels makes a delivery for it.
  bool wants(const std::string& event_type, const std::vector<std::string>& of_message) const;

  friend bool operator==(const Settings&, const Settings&) = default;
};

// The authority of a URL, or all of it if it is none.
std::string origin_of(const std::string& url);

Guards read_guards(const JsonValue& json);

Settings read_settings(const JsonValue& endpoint, const JsonValue& application,
                       const JsonValue& server);

}  // namespace petrel::sim::judge
