// The text form of a Duration: a whole number and one unit, `ms`, `s`, `m`, `h` or `d`.
//
//   parse_duration("90s")  → 90 s        to_text(90 s)   → "90s"
//   parse_duration("1.5h") → an error    to_text(7200 s) → "2h"
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace petrel {

// The error's field is left empty, for the caller to name. A plain 0 needs no unit.
Result<Duration> parse_duration(std::string_view text);

// The largest unit that divides the duration without a rest, so that parsing gives it back.
//
// REQUIRES: a whole number of milliseconds, not negative.
std::string to_text(Duration duration);

// For people, in at most two units and never more exact than it is useful: "4.2s", "5m 3s",
// "2h 5m", "3d 4h".
std::string to_words(Duration duration);

}  // namespace petrel
