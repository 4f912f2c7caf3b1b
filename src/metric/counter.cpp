#include "metric/counter.h"

namespace petrel::metric {

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const Cell& cell : cells_) sum += cell.count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace petrel::metric
