#include "app/command.h"

#include <cstdio>

#include <fmt/format.h>

namespace petrel::app {

void complain(std::string_view what, std::string_view hint) {
  fmt::print(stderr, "petrel: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
}

}  // namespace petrel::app
