#include "metric/counter.h"

namespace petrel::metric {
namespace {

std::size_t number_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

void Counter::add(std::uint64_t count) {
  cells_[number_of_this_thread() % kCells].count.fetch_add(count, std::memory_order_relaxed);
}

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const Cell& cell : cells_) sum += cell.count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace petrel::metric
