#include "percentile.h"

#include <algorithm>
#include <cstddef>

namespace petrel::bench {

double percentile_ms(std::vector<std::int64_t>& values_ns, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values_ns.size() - 1));
  const auto at = values_ns.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values_ns.begin(), at, values_ns.end());
  return static_cast<double>(*at) / 1e6;
}

}  // namespace petrel::bench
