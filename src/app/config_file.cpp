#include "app/config_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <toml++/toml.h>

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

}  // namespace

Result<std::map<std::string, std::string>> read_config_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return invalid(path, "is a folder: give the file with the settings");
  }
  try {
    std::map<std::string, std::string> values;
    for (const auto& [key, node] : toml::parse_file(path)) {
      const std::string name(key.str());
      Result<std::string> text = value_text(node);
      if (!text.ok()) return text.error().under(name).under(path);
      values[name] = *std::move(text);
    }
    return values;
  } catch (const toml::parse_error& error) {
    return invalid(path, fmt::format("line {}: {}", error.source().begin.line,
                                     std::string(error.description())));
  }
}

}  // namespace petrel::app
