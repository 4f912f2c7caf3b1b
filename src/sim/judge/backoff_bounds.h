// How long a policy lets a delivery wait after a failure: between the shortest and the longest that
// jitter can draw, never less than the receiver asked for.
//
// Thread: any. Values.

#pragma once

#include <optional>

#include "base/time.h"
#include "sim/judge/policy_reading.h"

namespace petrel::sim::judge {

struct DelayBounds {
  Duration shortest;
  Duration longest;
};

struct Failure {
  int number = 1;             // Failures of the delivery in its present budget, this one included.
  bool is_throttled = false;  // 429 …
  std::optional<Duration> wish = std::nullopt;  // … and what Retry-After asked for.
};

// As much of what the receiver asked for as the policy grants.
Duration granted(const Policy& policy, std::optional<Duration> wish);

DelayBounds delay_bounds(const Policy& policy, const Failure& failure);

}  // namespace petrel::sim::judge
