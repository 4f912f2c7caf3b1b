// Percentiles of measured times.

#pragma once

#include <cstdint>
#include <vector>

namespace petrel::bench {

// The value below which that share of them lies, in milliseconds. Puts them into another order.
//
// REQUIRES: there is at least one.
double percentile_ms(std::vector<std::int64_t>& values_ns, double share);

}  // namespace petrel::bench
