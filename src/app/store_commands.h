// `petrel backup`, `petrel restore` and `petrel inspect`: what an operator does with a store.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the commands to `cli`. The one that was chosen is put into `chosen`.
void add_store_commands(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
