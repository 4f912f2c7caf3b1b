#include "app/command_mistake.h"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/suggestion.h"
#include "base/text.h"

namespace petrel::app {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string hint_about(const CLI::App& app) {
  return fmt::format("`{} --help` {}", path_of(app),
                     command_names(app).empty() ? "says what it takes" : "lists the commands");
}

// The first word that `app` could make nothing of.
std::string about_word(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = command_names(app);
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("`{}` has no option {}{}", path_of(app), in_quotes(name),
                       did_you_mean(name, option_names(app)));
  }
  // Not shown: it may be half of a secret that was to be an option's value.
  if (commands.empty()) return fmt::format("`{}` takes fewer arguments", path_of(app));
  return fmt::format("there is no command {}{}", in_quotes(word), did_you_mean(word, commands));
}

}  // namespace

std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

CommandMistake mistake_of(const CLI::App& cli, const CLI::ParseError& error) {
  const CLI::App* app = &cli;
  while (true) {
    const std::vector<std::string> unknown = app->remaining(false);
    if (!unknown.empty()) return {about_word(*app, unknown.front()), hint_about(*app)};
    const std::vector<CLI::App*> chosen = app->get_subcommands();
    if (chosen.empty()) break;
    app = chosen.back();
  }
  const std::vector<std::string> commands = command_names(*app);
  if (!commands.empty()) {
    return {fmt::format("`{}` needs a command: {}", path_of(*app), fmt::join(commands, ", ")),
            hint_about(*app)};
  }
  return {fmt::format("`{}`: {}", path_of(*app), error.what()), hint_about(*app)};
}

}  // namespace petrel::app
