#include "log/level.h"

#include <array>
#include <cstddef>

#include "base/text.h"

namespace petrel::log {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warn", "error"};

}  // namespace

std::string_view to_string(Level level) { return kNames[static_cast<std::size_t>(level)]; }

Result<Level> parse_level(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<Level>(i);
  }
  return invalid("", in_quotes(text) + " is not one of debug, info, warn and error");
}

}  // namespace petrel::log
