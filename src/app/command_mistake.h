// What was wrong with a command line, in words that name the part that was wrong and the help that
// tells more.
//
//   petrel serv            there is no command "serv": did you mean serve?
//   petrel serve --listn   `petrel serve` has no option "--listn": did you mean --listen?
//
// Values of options are never shown: they may be secrets.
//
// Thread: any.

#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace petrel::app {

struct CommandMistake {
  std::string what;
  std::string hint;
};

// REQUIRES: `cli` has just refused a command line with `error`.
CommandMistake mistake_of(const CLI::App& cli, const CLI::ParseError& error);

// "petrel policy show" for the command `show` of `policy`.
std::string path_of(const CLI::App& command);

}  // namespace petrel::app
