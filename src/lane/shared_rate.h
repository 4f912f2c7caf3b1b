// SharedRate holds the attempts of several lanes together to one rate: what an application's
// throttleRate means. The lanes may live on different threads.
//
// Each lane that is ready to send takes a place in the line and is told its moment:
//
//   reserve(0 ms) → 0 ms     reserve(0 ms) → 200 ms     reserve(0 ms) → 400 ms      at 5/s
//
// So lanes go in the order in which they asked, and none has to poll. A place that is not used is
// lost. Like a TokenBucket's, a moment may be up to ten milliseconds in the past, so that a timer
// that fires a little late costs nothing.
//
// A new rate holds at once: the places that were given out and not used yet are void, and the lanes
// that hold them ask again.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/time.h"

namespace petrel::lane {

class SharedRate {
 public:
  // REQUIRES: per_second > 0.
  explicit SharedRate(int per_second);

  // A place in the line.
  struct Place {
    MonoTime at;  // The moment at which the attempt may go: `now` or earlier if it may at once.
    std::uint32_t edition = 0;
  };

  // REQUIRES: per_second > 0.
  void set_rate(int per_second, MonoTime now);

  [[nodiscard]] Place reserve(MonoTime now);

  // Grows with every new rate.
  std::uint32_t edition() const { return edition_; }

  // Whether the rate is still the one that the place was given for.
  bool is_valid(const Place& place) const { return place.edition == edition_; }

 private:
  std::mutex mutex_;
  std::atomic<std::uint32_t> edition_ = 0;
  std::int64_t interval_ns_ = 0;
  std::int64_t next_ns_ = 0;  // Since the beginning of the monotonic clock.
};

}  // namespace petrel::lane
