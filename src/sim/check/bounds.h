// Bounds says what a policy allows after an attempt, worked out anew from its settings and from
// what the receiver said, so that the checkers do not take the engine's word for it.
//
// Thread: any.

#pragma once

#include "base/time.h"
#include "policy/retry_policy.h"
#include "sim/track.h"

namespace petrel::sim::check {

struct DelayBounds {
  Duration shortest;
  Duration longest;
};

// The receiver's wish as far as the policy grants it; zero if it had none.
Duration granted_wait(const policy::RetryPolicy& policy, const Trip& trip);

// How long to wait after failure number `failure` that ended as `trip` did, Retry-After included.
DelayBounds delay_bounds(const policy::RetryPolicy& policy, int failure, const Trip& trip);

}  // namespace petrel::sim::check
