#include "app/environment.h"

#include <cstdlib>

namespace petrel::app {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace petrel::app
