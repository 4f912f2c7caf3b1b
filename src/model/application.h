// Application is a tenant: a customer of the producer. It owns endpoints and messages.
//
// Thread: any. A value.

#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/id.h"
#include "base/time.h"
#include "model/retention.h"
#include "policy/guards.h"
#include "policy/retry_policy.h"

namespace petrel::model {

using Metadata = std::map<std::string, std::string>;

struct Application {
  ApplicationId id;
  OrganisationId organisation;
  std::string uid;  // The producer's own name for it, unique in the organisation. May be empty.
  std::string name;
  Metadata metadata;
  std::optional<int> throttle_rate;  // Attempts a second, over all its endpoints.
  std::optional<policy::RetryPolicy> retry_policy;
  std::optional<policy::Guards> guards;
  std::optional<int> in_flight_max;
  std::optional<Duration> timeout;
  RetentionSettings retention;                // What it says itself; the rest is the server's.
  std::optional<WallTime> tokens_valid_from;  // Its portal's tokens from before are void.
  WallTime created_at;
  WallTime updated_at;

  // Its record stays for a while: attempts name it.
  std::optional<WallTime> deleted_at;

  friend bool operator==(const Application&, const Application&) = default;
};

}  // namespace petrel::model
