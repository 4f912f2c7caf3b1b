// The JSON form of a RetryPolicy: an object, or a preset's name as a string.
//
//   {"strategy": "exponential", "baseDelay": "30s", "multiplier": 2, "maxDelay": "1h",
//    "jitter": "full", "maxAttempts": 5, "giveUpAfter": "72h", "retryAfterCap": "24h",
//    "rules": [{"on": "404", "action": "fail"}]}
//
// Every field may be left out. A field that is unknown, out of range, or without effect beside the
// others is an error that names it.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "policy/retry_policy.h"

namespace petrel::policy {

Result<RetryPolicy> policy_from_json(const JsonValue& json);

// As above, from text.
Result<RetryPolicy> parse_policy(std::string_view text);

// The preset's name if it is one, else the object.
void write_policy(const RetryPolicy& policy, JsonWriter& json);

// Always the object, with every field that has an effect: parsing gives the same policy back, but
// for its preset's name.
void write_policy_whole(const RetryPolicy& policy, JsonWriter& json);

}  // namespace petrel::policy
