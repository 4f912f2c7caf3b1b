// AttemptWindow counts the attempts that ended lately, and how many of them failed.
//
// It is a ring of one-second buckets: an attempt leaves the window together with the second it
// ended in, so a window of 60 s covers the running second and the 59 before it. Counting is
// constant work. A window that has counted nothing holds no memory beyond itself; one that has
// holds eight bytes per second of its length.
//
// Time is handed in, never read; a `now` before the last one counts as the last one.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "lane/rate.h"

namespace petrel::lane {

class AttemptWindow {
 public:
  static constexpr Duration kLengthMax = std::chrono::minutes(2);

  struct Totals {
    std::int64_t attempts = 0;
    std::int64_t failures = 0;

    friend bool operator==(const Totals&, const Totals&) = default;
  };

  // REQUIRES: whole seconds, 1 s <= length <= kLengthMax.
  explicit AttemptWindow(Duration length);

  void count_success(MonoTime now) { count({.attempts = 1, .failures = 0}, now); }
  void count_failure(MonoTime now) { count({.attempts = 1, .failures = 1}, now); }

  Totals totals(MonoTime now) const;

  // Attempts over the length of the window, or over the time since the first attempt if it has
  // not counted that long, but at least a second. Empty if no attempt is in the window.
  std::optional<Rate> rate(MonoTime now) const;

  // Forgets all and gives the memory back.
  void clear();

 private:
  struct Bucket {
    std::uint32_t attempts = 0;
    std::uint32_t failures = 0;
  };

  void count(Totals more, MonoTime now);
  void move_to(std::int64_t second);
  Bucket& bucket(std::int64_t second);
  const Bucket& bucket(std::int64_t second) const;

  std::int32_t length_;          // In seconds.
  std::vector<Bucket> buckets_;  // Empty until something is counted, then length_ many.
  std::int64_t newest_ = 0;      // The second of the newest bucket.
  MonoTime counting_since_{};
  Totals totals_;  // Over all buckets.
};

}  // namespace petrel::lane
