// random_policy() draws any policy that validate() lets through, for property tests.

#pragma once

#include "base/random.h"
#include "policy/retry_policy.h"

namespace petrel::policy {

RetryPolicy random_policy(Random& random);

// Any outcome that an attempt can have.
Outcome random_outcome(Random& random);

}  // namespace petrel::policy
