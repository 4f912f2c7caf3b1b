// `petrel health`: asks the server on this machine how it is, as a container's health check does.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_health_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
