// SharedRate holds the attempts of several lanes together to one rate: what an application's
// throttleRate means. The lanes may live on different threads.
//
// Each lane that is ready to send takes a place in the line, which names a moment, and spends a
// token of one TokenBucket when it goes:
//
//   reserve(0 ms) → 0 ms     reserve(0 ms) → 200 ms     reserve(0 ms) → 400 ms      at 5/s
//
// So lanes go in the order in which they asked, and none has to poll. The line only says when to
// ask: a lane that comes late for its moment makes the others wait, and never brings two attempts
// closer together than the rate allows. A place that is not used within an interval is lost.
//
// A new rate holds at once: the places that were given out and not used yet are void, and the lanes
// that hold them get new ones.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/time.h"
#include "lane/token_bucket.h"

namespace petrel::lane {

class SharedRate {
 public:
  // REQUIRES: per_second > 0.
  explicit SharedRate(int per_second);

  // A place in the line.
  struct Place {
    MonoTime at;  // When to ask whether the attempt may go.
    std::uint32_t edition = 0;
  };

  // REQUIRES: per_second > 0.
  void set_rate(int per_second, MonoTime now);

  [[nodiscard]] Place reserve(MonoTime now);

  // Whether an attempt may go at `now`, which uses up the place and a token. If not, `place.at`
  // says when to ask again.
  [[nodiscard]] bool try_use(Place& place, MonoTime now);

  // Grows with every new rate.
  std::uint32_t edition() const { return edition_; }

 private:
  Place next_place(MonoTime now);

  std::mutex mutex_;
  std::atomic<std::uint32_t> edition_ = 0;
  std::int64_t interval_ns_ = 0;
  std::int64_t next_ns_ = 0;  // The end of the line, since the beginning of the monotonic clock.
  TokenBucket bucket_;
};

}  // namespace petrel::lane
