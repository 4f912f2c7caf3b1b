#include "app/command_tree.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "app/command_mistake.h"
#include "app/settings.h"
#include "base/json_writer.h"

namespace petrel::app {
namespace {

// Other options may have the name of a setting, but not that of its variable.
bool is_setting(const CLI::Option& option) {
  const auto specs = setting_specs();
  return std::any_of(specs.begin(), specs.end(), [&](const SettingSpec& spec) {
    const std::string variable = "[" + environment_name(spec.name) + "]";
    return option.get_description().find(variable) != std::string::npos;
  });
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.is_argument = described.names.empty();
  if (described.is_argument) described.names.push_back(option.get_name(true));
  described.takes_value = option.get_items_expected_max() > 0;
  described.is_required = option.get_required();
  described.is_setting = is_setting(option);
  described.help = option.get_description();
  return described;
}

void write(const CommandOption& option, JsonWriter& json) {
  json.begin_object().key("names").begin_array();
  for (const std::string& name : option.names) json.value(name);
  json.end_array();
  json.field("isArgument", option.is_argument)
      .field("takesValue", option.takes_value)
      .field("isRequired", option.is_required)
      .field("isSetting", option.is_setting)
      .field("help", option.help)
      .end_object();
}

void write(const CommandTree& tree, JsonWriter& json) {
  json.begin_object().field("name", tree.name).field("path", tree.path).field("about", tree.about);
  json.key("options").begin_array();
  for (const CommandOption& option : tree.options) write(option, json);
  json.end_array().key("commands").begin_array();
  for (const CommandTree& command : tree.commands) write(command, json);
  json.end_array().end_object();
}

void collect(const CommandTree& tree, std::vector<const CommandTree*>& all) {
  all.push_back(&tree);
  for (const CommandTree& command : tree.commands) collect(command, all);
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  CommandTree tree;
  tree.name = app.get_name();
  tree.path = path_of(app);
  tree.about = app.get_description();
  for (const CLI::Option* option : app.get_options()) tree.options.push_back(option_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    tree.commands.push_back(command_tree(*command));
  }
  return tree;
}

std::vector<const CommandTree*> all_commands(const CommandTree& tree) {
  std::vector<const CommandTree*> all;
  collect(tree, all);
  return all;
}

std::string to_json(const CommandTree& tree) {
  JsonWriter json;
  write(tree, json);
  return json.take();
}

}  // namespace petrel::app
