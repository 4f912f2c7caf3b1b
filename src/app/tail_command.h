// `petrel tail`: the attempts of a running server, as they end.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_tail_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
