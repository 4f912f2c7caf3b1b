#include "app/unknown_settings.h"

#include <algorithm>

#include "app/settings.h"
#include "app/suggestion.h"
#include "base/text.h"

namespace petrel::app {
namespace {

constexpr std::string_view kOurs = "PETREL_";

bool is_of_kubernetes(std::string_view name) {
  return name == "PETREL_PORT" || name.starts_with("PETREL_PORT_") ||
         name.starts_with("PETREL_SERVICE_");
}

}  // namespace

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
  std::vector<std::string> known = {"PETREL_CONFIG", "PETREL_URL", "PETREL_TOKEN",
                                    "PETREL_FROM_TOKEN"};
  for (const SettingSpec& spec : setting_specs()) known.push_back(environment_name(spec.name));
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (!name.starts_with(kOurs) || is_known || is_of_kubernetes(name)) continue;
    warnings.push_back("the variable " + in_quotes(name) +
                       " has no effect, as there is no such setting" + did_you_mean(name, known));
  }
  std::sort(warnings.begin(), warnings.end());
  return warnings;
}

std::string unknown_key(std::string_view key) {
  std::vector<std::string> known;
  for (const SettingSpec& spec : setting_specs()) known.emplace_back(spec.name);
  return in_quotes(key) + " is not a setting" + did_you_mean(key, known);
}

}  // namespace petrel::app
