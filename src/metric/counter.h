// Counter counts up, from any thread, without contention: each thread adds to a cell
// of its own as far as there are enough of them, and reading adds the cells up.
//
// Thread: safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "metric/cell.h"

namespace petrel::metric {

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(std::uint64_t count = 1) {
    cells_[cell_of_this_thread()].count.fetch_add(count, std::memory_order_relaxed);
  }

  std::uint64_t value() const;

 private:
  struct alignas(kCellAlignment) Cell {
    std::atomic<std::uint64_t> count{0};
  };

  std::array<Cell, kCells> cells_;
};

// Gauge is a number that goes up and down.
//
// Thread: safe.
class Gauge {
 public:
  Gauge() = default;
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;

  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t change) { value_.fetch_add(change, std::memory_order_relaxed); }

  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace petrel::metric
