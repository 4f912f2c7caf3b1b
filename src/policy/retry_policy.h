// RetryPolicy says when a failed delivery is tried again, and when we stop trying. It is a value:
// the decision itself is decide() in decision.h.
//
// A policy is set on the server, an application or an endpoint, and the nearest one wins whole:
// fields are never mixed. In JSON it is an object (see retry_policy_json.h) or the name of a
// preset.
//
// Thread: any. A value.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "policy/backoff.h"
#include "policy/rule.h"

namespace petrel::policy {

inline constexpr Duration kDelayMax = std::chrono::days(7);
inline constexpr Duration kGiveUpAfterMax = std::chrono::days(30);
inline constexpr int kAttemptsMax = 1000;
inline constexpr double kMultiplierMin = 1;
inline constexpr double kMultiplierMax = 10;
inline constexpr std::size_t kScheduleMax = 100;  // Entries; a policy is kept with each endpoint.
inline constexpr std::size_t kRulesMax = 100;

struct RetryPolicy {
  std::string preset;  // The preset's name, empty for a policy of the user's own.

  Backoff backoff;
  int attempts_max = 10;
  Duration give_up_after = std::chrono::hours(96);

  // A receiver must not be able to park a delivery for a year.
  Duration retry_after_cap = std::chrono::hours(24);

  std::vector<Rule> rules;

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// Whether every value is in its range and they go together. The error names the field as it is
// called in JSON, and the reason.
Status validate(const RetryPolicy& policy);

// The one that applies: the endpoint's, else the application's, else the server's.
const RetryPolicy& nearest(const std::optional<RetryPolicy>& endpoint,
                           const std::optional<RetryPolicy>& application,
                           const RetryPolicy& server);

}  // namespace petrel::policy
