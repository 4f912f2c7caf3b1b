// Level is how much a line of the log matters to the operator, and how much of the log he wants to
// see: lines of that level and of those after it.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace petrel::log {

enum class Level : std::uint8_t {
  Debug,  // Each attempt.
  Info,   // What has changed, as it should.
  Warn,   // What may need somebody.
  Error,  // What does.
};

std::string_view to_string(Level level);

// Fails with Invalid and leaves the error's field to the caller.
Result<Level> parse_level(std::string_view text);

}  // namespace petrel::log
