// CommandTree is the command line as data: each command with its options, as `petrel help --json`
// prints it. The man pages, the sample configuration and the shells' completion are made of it, so
// that none of them can name what is not there.
//
// Thread: any. A value.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace petrel::app {

struct CommandOption {
  std::vector<std::string> names;  // "--listen". Of an argument without dashes: "DIR".
  bool is_argument = false;        // It goes by its place, not by a name.
  bool takes_value = false;
  bool is_required = false;
  bool is_setting = false;  // It can also come from the environment or the file.
  std::string help;
};

struct CommandTree {
  std::string name;
  std::string path;  // "petrel policy show"
  std::string about;
  std::vector<CommandOption> options;
  std::vector<CommandTree> commands;
};

CommandTree command_tree(const CLI::App& app);

// All commands of the tree, each before those below it.
std::vector<const CommandTree*> all_commands(const CommandTree& tree);

std::string to_json(const CommandTree& tree);

}  // namespace petrel::app
