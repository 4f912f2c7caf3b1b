// The two kinds of time, and the span between two moments of one kind.
//
// WallTime is what a clock on the wall shows: it is stored, shown and compared with what others
// say, and it may jump. MonoTime only ever moves on: waits and timeouts are measured in it. The
// two do not mix: subtracting one from the other does not compile.
//
// All three count microseconds.

#pragma once

#include <chrono>
#include <cstdint>

namespace petrel {

using Duration = std::chrono::microseconds;

struct WallEpoch {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<WallEpoch, Duration>;
  static constexpr bool is_steady = false;
};

struct MonoEpoch {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonoEpoch, Duration>;
  static constexpr bool is_steady = true;
};

using WallTime = WallEpoch::time_point;
using MonoTime = MonoEpoch::time_point;

constexpr WallTime wall_from_unix_seconds(std::int64_t seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

// Rounds towards the past, also before 1970.
constexpr std::int64_t unix_seconds(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

constexpr std::int64_t whole_milliseconds(Duration duration) {
  return std::chrono::floor<std::chrono::milliseconds>(duration).count();
}

}  // namespace petrel
