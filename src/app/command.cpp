#include "app/command.h"

#include <cstdio>

#include <fmt/format.h>

namespace petrel::app {

void complain(std::string_view what, std::string_view hint) {
  fmt::print(stderr, "petrel: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
}

ExitCode exit_code_of(const Error& error) {
  return error.kind == ErrorKind::Invalid ? kExitUsage : kExitFailure;
}

int exit_code(const Status& status) {
  if (status.ok()) return kExitOk;
  complain(status.error().text());
  return exit_code_of(status.error());
}

}  // namespace petrel::app
