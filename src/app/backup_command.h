// `petrel backup` and `petrel restore`: a copy of a store, and the way back.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the commands to `cli`. The one that was chosen is put into `chosen`.
void add_backup_commands(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
