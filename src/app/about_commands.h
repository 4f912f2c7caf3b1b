// `petrel help`, `petrel version` and `petrel completion`: what Petrel says about itself.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the commands to `cli`, which outlives what is put into `chosen`. They speak of all commands
// that `cli` has once it is run.
void add_about_commands(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
