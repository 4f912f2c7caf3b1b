// A retry policy as a command takes it: a preset's name, JSON, or @ and a file with either in it.

#pragma once

#include <string>

#include "base/result.h"
#include "policy/retry_policy.h"

namespace petrel::app {

// NotFound or Unavailable if it is a file that cannot be read.
Result<policy::RetryPolicy> read_policy(const std::string& argument);

}  // namespace petrel::app
