// The words that every command shares: how it ends, and how it tells a person what went wrong.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel::app {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,   // The request was right, and could not be carried out.
  kExitUsage = 2,     // The command line or a setting is wrong: repeating it will not help.
  kExitFindings = 3,  // A check was carried out, and found something wrong.
};

// "petrel: what went wrong" and, on a line of its own, what may help, to standard error.
void complain(std::string_view what, std::string_view hint = "");

// How a command ends for which this went wrong.
ExitCode exit_code_of(const Error& error);

// As above, after saying what went wrong, if anything did.
int exit_code(const Status& status);

}  // namespace petrel::app
