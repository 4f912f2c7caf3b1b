// `petrel doctor`: looks at all that a server needs, and says what to do about what is missing.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace petrel::app {

// Adds the command to `cli`. If it was chosen it is put into `chosen`.
void add_doctor_command(CLI::App& cli, std::function<int()>& chosen);

}  // namespace petrel::app
