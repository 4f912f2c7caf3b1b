// Histogram counts values by the bucket that they fall into, from any thread, without contention:
// like a Counter, each thread counts in a cell of its own as far as there are enough of them.
//
//   Histogram commits(kDurations);
//   commits.observe(elapsed);              two additions, no lock
//
// Values are whole numbers of a small unit, such as microseconds; Buckets says what to divide them
// by for the unit that is shown. A value lies in the first bucket whose bound is not less than it.
//
// Thread: safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "metric/cell.h"

namespace petrel::metric {

// The upper bounds, in ascending order, each of them included; the last bucket has none.
struct Buckets {
  static constexpr std::size_t kBoundsMax = 18;

  std::span<const std::int64_t> bounds;  // Which live as long as the program.
  double divisor = 1;
};

// From half a millisecond to five minutes, shown in seconds: for what waits on a disk or a network.
inline constexpr std::array<std::int64_t, 18> kDurationBounds = {
    500,       1'000,      2'500,      5'000,      10'000,     25'000,
    50'000,    100'000,    250'000,    500'000,    1'000'000,  2'500'000,
    5'000'000, 10'000'000, 15'000'000, 30'000'000, 60'000'000, 300'000'000};
inline constexpr Buckets kDurations{kDurationBounds, 1e6};

// From ten milliseconds to a week, shown in seconds: for what waits for a retry.
inline constexpr std::array<std::int64_t, 16> kDelayBounds = {
    10'000,         50'000,         100'000,         500'000,        1'000'000,     5'000'000,
    15'000'000,     60'000'000,     300'000'000,     900'000'000,    3'600'000'000, 14'400'000'000,
    43'200'000'000, 86'400'000'000, 259'200'000'000, 604'800'000'000};
inline constexpr Buckets kDelays{kDelayBounds, 1e6};

// Powers of two up to the most that one commit takes on.
inline constexpr std::array<std::int64_t, 11> kSizeBounds = {1,  2,   4,   8,   16,  32,
                                                             64, 128, 256, 512, 1024};
inline constexpr Buckets kSizes{kSizeBounds};

class Histogram {
 public:
  // REQUIRES: at most kBoundsMax bounds, in ascending order.
  explicit Histogram(const Buckets& buckets);
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void observe(std::int64_t value) {
    std::size_t bucket = 0;
    while (bucket < buckets_.bounds.size() && value > buckets_.bounds[bucket]) ++bucket;
    Cell& cell = cells_[cell_of_this_thread()];
    cell.counts[bucket].fetch_add(1, std::memory_order_relaxed);
    cell.sum.fetch_add(value, std::memory_order_relaxed);
  }
  void observe(Duration value) { observe(value.count()); }

  // How many fell into each bucket; the last is of those above all bounds.
  std::vector<std::uint64_t> counts() const;

  // Of all values, in the unit that is shown.
  double sum() const;

  // The bounds in that unit, as text: "0.005".
  const std::vector<std::string>& bounds() const { return bounds_; }

 private:
  struct alignas(kCellAlignment) Cell {
    std::array<std::atomic<std::uint64_t>, Buckets::kBoundsMax + 1> counts{};
    std::atomic<std::int64_t> sum{0};
  };

  const Buckets buckets_;
  const std::vector<std::string> bounds_;
  std::array<Cell, kCells> cells_;
};

}  // namespace petrel::metric
