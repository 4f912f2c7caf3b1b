// Civil is a moment as the calendar has it, in UTC. It stands between WallTime and the text forms
// of time (RFC 3339, HTTP-date); the standard library here has the calendar but no text forms.
//
// Thread: any.

#pragma once

#include <chrono>
#include <compare>
#include <optional>

#include "base/time.h"

namespace petrel {

struct Civil {
  int year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;  // 60 is let in, as leap seconds are sent; it means the next minute's first.
  Duration fraction{};

  friend auto operator<=>(const Civil&, const Civil&) = default;
};

Civil to_civil(WallTime time);

// Empty for a day or time that the calendar does not have (30 February, 24:00), and for years
// outside 1 … 9999.
std::optional<WallTime> to_wall(const Civil& civil);

std::chrono::weekday weekday_of(WallTime time);

}  // namespace petrel
