// The short form of a retry policy, for a command line:
//
//   fixed:60s
//   linear:30s:maxDelay=10m
//   exponential:1s:multiplier=3:maxDelay=1m:jitter=full:maxAttempts=20
//   schedule:5s+5m+30m+2h
//
// A strategy, its delay (for a schedule its delays), and then fields of the policy's JSON form by
// the names they have there. It means the same as that JSON, but for two defaults: without `jitter`
// there is none, and a schedule without `maxAttempts` has one attempt more than delays. So
// `fixed:60s` is what it says: every sixty seconds, to the second.
//
// Thread: any.

#pragma once

#include <string_view>

#include "base/result.h"
#include "policy/retry_policy.h"

namespace petrel::storm {

// Whether it is meant to be one: a name of a preset has no colon.
bool is_short_policy(std::string_view text);

// The error names the field of the JSON form.
Result<policy::RetryPolicy> parse_short_policy(std::string_view text);

}  // namespace petrel::storm
