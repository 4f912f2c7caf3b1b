#include "base/clock.h"

#include <chrono>

namespace petrel {

WallTime SystemClock::wall() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return WallTime(std::chrono::duration_cast<Duration>(now));
}

MonoTime SystemClock::mono() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return MonoTime(std::chrono::duration_cast<Duration>(now));
}

}  // namespace petrel
