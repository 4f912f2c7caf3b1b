// SettingsOptions gives a command the flags of the settings that it needs.

#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace petrel::app {

class SettingsOptions {
 public:
  // Adds `--config`, and a flag for each setting that is named; for all of them if none is.
  explicit SettingsOptions(CLI::App& command, std::initializer_list<std::string_view> names = {});

  // Once the command line has been read. Says on stderr which variables of the environment look
  // like settings and are none.
  Result<Settings> read() const;

  // The same without a word on stderr, and what read() would say.
  Result<Settings> read_quietly() const;
  static std::vector<std::string> warnings();

 private:
  std::shared_ptr<SettingSources> sources_;  // Shared with the command line's callbacks.
};

}  // namespace petrel::app
