// `petrel replay` sends dead, missed or former deliveries again, gradually, and watches that;
// `petrel dead-letter` looks at dead letters, sends them again and discards them.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Each adds its commands to `cli`. If one was chosen it is put into `chosen`.
void add_replay_command(CLI::App& cli, std::function<int()>& chosen);
void add_dead_letter_commands(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
