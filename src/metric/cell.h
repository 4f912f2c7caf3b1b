// The cell of this thread among those that a metric spreads its counts over: each thread has a
// number of its own, so that threads do not fight over one cache line as long as there are not more
// of them than cells.
//
// Thread: any.

#pragma once

#include <atomic>
#include <cstddef>

namespace petrel::metric {

inline constexpr std::size_t kCells = 8;

// A cache line, as two threads that write to one wait for each other.
inline constexpr std::size_t kCellAlignment = 64;

inline std::size_t cell_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t cell = threads.fetch_add(1, std::memory_order_relaxed) % kCells;
  return cell;
}

}  // namespace petrel::metric
