// `petrel policy`: look at retry policies before trusting them with deliveries.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command and its subcommands to `cli`. The one that was chosen is put into `chosen`.
void add_policy_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
