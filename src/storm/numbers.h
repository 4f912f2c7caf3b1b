// Numbers as people read them, and the percentile of a list of times.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace petrel::storm {

// 1234567 → "1,234,567".
std::string with_commas(std::int64_t number);

// "1 crash", "1,234 crashes".
std::string counted(std::int64_t number, std::string_view one, std::string_view many);

// The smallest of the times that at least `percent` of them do not exceed. Empty if there are none.
//
// REQUIRES: 1 <= percent <= 100.
std::optional<Duration> percentile(std::vector<Duration> times, int percent);

}  // namespace petrel::storm
