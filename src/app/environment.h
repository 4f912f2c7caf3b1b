// The process's environment, the one place where it is read.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace petrel::app {

// Empty if the variable is not set.
std::optional<std::string> environment_variable(const std::string& name);

// The names of all that are set.
std::vector<std::string> environment_variables();

}  // namespace petrel::app
