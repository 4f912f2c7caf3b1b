#include "app/about_commands.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/command_mistake.h"
#include "app/command_tree.h"
#include "app/completion.h"
#include "app/suggestion.h"
#include "app/version.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace petrel::app {
namespace {

struct HelpOptions {
  std::vector<std::string> path;
  bool is_json = false;
};

int help(const CLI::App& cli, const HelpOptions& options) {
  const CLI::App* app = &cli;
  for (const std::string& name : options.path) {
    const CLI::App* found = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
      if (command->get_name() == name) found = command;
    }
    if (found == nullptr) {
      complain(fmt::format("there is no command {}{}", in_quotes(name), did_you_mean(name, names)),
               path_of(*app) + " --help lists the commands");
      return kExitUsage;
    }
    app = found;
  }
  if (options.is_json) {
    fmt::print("{}\n", to_json(command_tree(*app)));
  } else {
    // Not app->help(), which would speak of the command that was chosen: this one.
    fmt::print("{}",
               app->get_formatter()->make_help(app, path_of(*app), CLI::AppFormatMode::Normal));
  }
  return kExitOk;
}

int print_version(bool is_json) {
  if (!is_json) {
    fmt::print("petrel {}\n", version_text());
    return kExitOk;
  }
  JsonWriter json;
  json.begin_object().field("version", kVersion).field("commit", build_commit()).end_object();
  fmt::print("{}\n", json.text());
  return kExitOk;
}

int print_completion(const CLI::App& cli, const std::string& shell) {
  const Result<std::string> script = completion_script(shell, command_tree(cli));
  if (!script.ok()) {
    complain(script.error().text(), "petrel completion --help says how to install it");
    return kExitUsage;
  }
  fmt::print("{}", *script);
  return kExitOk;
}

}  // namespace

void add_about_commands(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* helping = cli.add_subcommand("help", "Say what a command does and takes");
  auto options = std::make_shared<HelpOptions>();
  helping->add_option("command", options->path, "The command, such as: policy show");
  helping->add_flag("--json", options->is_json, "Print the commands and their options as JSON");
  helping->callback(
      [&cli, &chosen, options] { chosen = [&cli, options] { return help(cli, *options); }; });

  CLI::App* version = cli.add_subcommand("version", "Print the version");
  auto is_json = std::make_shared<bool>(false);
  version->add_flag("--json", *is_json, "Print JSON");
  version->callback([&chosen, is_json] { chosen = [is_json] { return print_version(*is_json); }; });

  CLI::App* completion =
      cli.add_subcommand("completion", "Print a script that completes commands and options");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")->required();
  completion->footer(
      "For this session, in bash or zsh:  source <(petrel completion bash)\n"
      "and in fish:                       petrel completion fish | source");
  completion->callback(
      [&cli, &chosen, shell] { chosen = [&cli, shell] { return print_completion(cli, *shell); }; });
}

}  // namespace petrel::app
