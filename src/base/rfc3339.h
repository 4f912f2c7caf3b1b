// RFC 3339 times, the form of every time in JSON and in query strings.
//
//   to_rfc3339(t)                                  → "2026-03-09T14:05:06.250000Z"
//   parse_rfc3339("2026-03-09T15:05:06.25+01:00")  → the same moment
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace petrel {

// Always UTC with six digits of fraction, so that texts sort as the times do.
std::string to_rfc3339(WallTime time);

// Lenient where clients are known to differ: a space instead of T, lower case, a missing offset
// (taken as UTC), any number of fraction digits (cut after microseconds). The error's field is left
// empty, for the caller to name.
Result<WallTime> parse_rfc3339(std::string_view text);

}  // namespace petrel
