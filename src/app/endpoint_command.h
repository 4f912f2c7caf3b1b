// `petrel endpoint pause|resume|probe`: what an operator can do about an endpoint.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the commands to `cli`. If one was chosen it is put into `chosen`.
void add_endpoint_commands(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
