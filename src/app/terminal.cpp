#include "app/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/environment.h"

namespace petrel::app {
namespace {

int code_of(Colour colour) {
  switch (colour) {
    case Colour::Green:
      return 32;
    case Colour::Yellow:
      return 33;
    case Colour::Red:
      return 31;
    case Colour::Bold:
      break;
  }
  return 1;
}

}  // namespace

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

bool shows_colours(std::FILE* file) {
  const std::string no = environment_variable("NO_COLOR").value_or("");
  return is_terminal(file) && no.empty() && environment_variable("TERM").value_or("dumb") != "dumb";
}

std::string coloured(std::string_view text, Colour colour, bool shows_colours) {
  if (!shows_colours) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text);
}

}  // namespace petrel::app
