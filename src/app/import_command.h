// `petrel import`: copies applications, endpoints and event types from another server.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_import_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
