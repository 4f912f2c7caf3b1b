// The benchmark's own clock: nanoseconds that only go forward, the same for all threads.

#pragma once

#include <cstdint>

namespace petrel::bench {

std::int64_t now_ns();

inline double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e9;
}

}  // namespace petrel::bench
