#include "app/settings_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/environment.h"
#include "app/unknown_settings.h"

namespace petrel::app {

SettingsOptions::SettingsOptions(CLI::App& command, std::initializer_list<std::string_view> names)
    : sources_(std::make_shared<SettingSources>()) {
  sources_->environment = environment_variable;
  command.add_option("--config", sources_->config_file, "A TOML file with settings")
      ->envname("PETREL_CONFIG");
  for (const SettingSpec& spec : setting_specs()) {
    const bool is_wanted =
        names.size() == 0 || std::find(names.begin(), names.end(), spec.name) != names.end();
    if (!is_wanted) continue;
    command.add_option_function<std::string>(
        fmt::format("--{}", spec.name),
        [sources = sources_, name = std::string(spec.name)](const std::string& value) {
          sources->flags[name] = value;
        },
        fmt::format("{} [{}]", spec.help, environment_name(spec.name)));
  }
}

Result<Settings> SettingsOptions::read() const {
  for (const std::string& warning : warnings()) complain(warning);
  return read_quietly();
}

Result<Settings> SettingsOptions::read_quietly() const { return read_settings(*sources_); }

std::vector<std::string> SettingsOptions::warnings() {
  return unknown_variables(environment_variables());
}

}  // namespace petrel::app
