// What a mutant tells the engine of an endpoint, instead of what a person said.
//
// Thread: any.

#pragma once

#include <optional>

#include "sim/mutant.h"

namespace petrel::sim {

inline std::optional<int> mutated_rate(std::optional<int> rate, Mutant mutant) {
  if (mutant == Mutant::TwiceTheRate && rate) return 2 * *rate;
  return rate;
}

inline int mutated_limit(int limit, Mutant mutant) {
  return mutant == Mutant::OneTooManyInFlight ? limit + 1 : limit;
}

}  // namespace petrel::sim
