// The words that every command shares: how it ends, and how it tells a person what went wrong.

#pragma once

#include <string>
#include <string_view>

namespace petrel::app {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,  // It was asked rightly and could not do it.
  kExitUsage = 2,    // It was asked wrongly.
};

// "petrel: what went wrong" and, on a line of its own, what may help, to standard error.
void complain(std::string_view what, std::string_view hint = "");

}  // namespace petrel::app
