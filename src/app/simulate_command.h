// `petrel simulate`: plays one outage with several retry policies and shows what each would do.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen, it is put into `chosen`.
void add_simulate_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
