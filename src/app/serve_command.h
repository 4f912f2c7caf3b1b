// `petrel serve`: run the server until it is told to stop.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_serve_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
