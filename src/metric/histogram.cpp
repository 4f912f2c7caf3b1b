#include "metric/histogram.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::metric {
namespace {

std::vector<std::string> shown(const Buckets& buckets) {
  CHECK(buckets.bounds.size() <= Buckets::kBoundsMax);
  CHECK(std::is_sorted(buckets.bounds.begin(), buckets.bounds.end()));
  std::vector<std::string> texts;
  for (const std::int64_t bound : buckets.bounds) {
    texts.push_back(fmt::format("{}", static_cast<double>(bound) / buckets.divisor));
  }
  return texts;
}

}  // namespace

Histogram::Histogram(const Buckets& buckets) : buckets_(buckets), bounds_(shown(buckets)) {}

std::vector<std::uint64_t> Histogram::counts() const {
  std::vector<std::uint64_t> counts(buckets_.bounds.size() + 1);
  for (const Cell& cell : cells_) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] += cell.counts[i].load(std::memory_order_relaxed);
    }
  }
  return counts;
}

double Histogram::sum() const {
  std::int64_t sum = 0;
  for (const Cell& cell : cells_) sum += cell.sum.load(std::memory_order_relaxed);
  return static_cast<double>(sum) / buckets_.divisor;
}

}  // namespace petrel::metric
