// A configuration file: TOML, one flat table of settings. Beside them it may have a table [client],
// which is for the commands that talk to a server and nothing to the server itself.

#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace petrel::app {

struct ConfigFile {
  std::map<std::string, std::string> settings;
  std::map<std::string, std::string> client;
};

// Each key with its value as text; a list's entries are joined by commas. The error says where in
// the file it went wrong.
Result<ConfigFile> read_whole_config_file(const std::string& path);

// The settings alone.
Result<std::map<std::string, std::string>> read_config_file(const std::string& path);

}  // namespace petrel::app
