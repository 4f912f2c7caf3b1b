// A moment on the command line: RFC 3339, or how long ago it was.
//
//   2026-03-09T14:05:06Z     2h (two hours before now)
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace petrel::app {

// As the API wants it. The error's field is left empty, for the caller to name.
Result<std::string> moment_argument(std::string_view text, WallTime now);

}  // namespace petrel::app
