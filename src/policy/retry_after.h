// Retry-After: how long a receiver asks us to leave it in peace.
//
//   "120"                              two minutes
//   "Wed, 21 Oct 2026 07:28:00 GMT"    until then, by the receiver's own clock
//
// Thread: any.

#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace petrel::policy {

struct RetryAfterHeaders {
  std::string_view retry_after;

  // The answer's Date header, empty if there was none. A date in Retry-After is measured against
  // it, so that a receiver whose clock is off is still waited for as long as it meant.
  std::string_view date;
};

// Empty if the header is absent, or a date in the past, a negative number or rubbish, which count
// as absent. A number too large to hold is the longest wait there is; the policy caps it.
std::optional<Duration> parse_retry_after(const RetryAfterHeaders& headers, WallTime now);

}  // namespace petrel::policy
