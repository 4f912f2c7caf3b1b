// What the judge makes of one reply: what it says about the receiver to the breaker, to the
// adaptive limit and to the ramp, and what the receiver asks for in its headers.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/judge/policy_reading.h"

namespace petrel::sim::judge {

// To the breaker ("what counts as a failure", "Exactly: Breaker").
enum class Verdict : std::uint8_t { Success, Failure, Reachable, Throttled, Nothing };

// To the adaptive limit ("in flight at once", "Exactly: Adaptive limit").
enum class Load : std::uint8_t { Good, Pushback, Nothing };

// It spends nothing and is no attempt.
bool is_our_fault(Reply kind);

// A success by the policy's rules. Never a fault of ours, nor what the guard blocked.
bool is_success(const Policy& policy, Reply kind, int status);

Verdict verdict_of(const Policy& policy, Reply kind, int status);
Load load_of(const Policy& policy, Reply kind, int status);

// What the receiver asks for; see docs/retry-policy.md, "Retry-After" and "webhook-delivery".
// `now` is when the node was told.
std::optional<Duration> wish_of(const Replied& reply, WallTime now);
bool aborts_message(const Replied& reply);
bool disables_endpoint(const Replied& reply);

}  // namespace petrel::sim::judge
