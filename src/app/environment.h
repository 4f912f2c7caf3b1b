// The process's environment, the one place where it is read.

#pragma once

#include <optional>
#include <string>

namespace petrel::app {

// Empty if the variable is not set.
std::optional<std::string> environment_variable(const std::string& name);

}  // namespace petrel::app
