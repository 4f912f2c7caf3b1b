#include "app/environment.h"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace petrel::app {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> names;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view line(*each);
    names.emplace_back(line.substr(0, line.find('=')));
  }
  return names;
}

}  // namespace petrel::app
