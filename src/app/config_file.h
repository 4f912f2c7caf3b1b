// A configuration file: TOML, one flat table of settings.

#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace petrel::app {

// Each key with its value as text; a list's entries are joined by commas. The error says where in
// the file it went wrong.
Result<std::map<std::string, std::string>> read_config_file(const std::string& path);

}  // namespace petrel::app
