#include "app/config_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "app/suggestion.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

Result<std::string> value_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return std::string(truth->get() ? "true" : "false");
  if (const auto* list = node.as_array()) {
    std::string joined;
    for (const toml::node& item : *list) {
      ASSIGN_OR_RETURN(std::string text, value_text(item));
      joined += (joined.empty() ? "" : ",") + text;
    }
    return joined;
  }
  return invalid("", "must be a text, a whole number, true or false, or a list of these");
}

constexpr std::string_view kClientTable = "client";
constexpr std::array<std::string_view, 2> kClientKeys = {"server", "token"};

Result<std::map<std::string, std::string>> values_of(const toml::table& table) {
  std::map<std::string, std::string> values;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == kClientTable && node.is_table()) continue;
    Result<std::string> text = value_text(node);
    if (!text.ok()) return text.error().under(name);
    values[name] = *std::move(text);
  }
  return values;
}

Status check_client(const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    if (std::find(kClientKeys.begin(), kClientKeys.end(), key) != kClientKeys.end()) continue;
    const std::vector<std::string> known(kClientKeys.begin(), kClientKeys.end());
    return invalid(kClientTable, in_quotes(key) + " is not known there" + did_you_mean(key, known));
  }
  return Done{};
}

Result<ConfigFile> parts_of(const toml::table& table) {
  ConfigFile file;
  ASSIGN_OR_RETURN(file.settings, values_of(table));
  if (const toml::table* client = table[kClientTable].as_table()) {
    ASSIGN_OR_RETURN(file.client, under(kClientTable, values_of(*client)));
    TRY(check_client(file.client));
  }
  return file;
}

}  // namespace

Result<ConfigFile> read_whole_config_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return invalid(path, "is a folder: give the file with the settings");
  }
  try {
    return under(path, parts_of(toml::parse_file(path)));
  } catch (const toml::parse_error& error) {
    return invalid(path, fmt::format("line {}: {}", error.source().begin.line,
                                     std::string(error.description())));
  }
}

Result<std::map<std::string, std::string>> read_config_file(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, read_whole_config_file(path));
  return std::move(file.settings);
}

}  // namespace petrel::app
