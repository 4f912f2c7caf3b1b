// `petrel token`: make bearer tokens for producers and clients.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_token_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
