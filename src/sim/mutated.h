// What a mutant tells the engine of an endpoint, instead of what a person said.
//
// Thread: any.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/mutant.h"

namespace petrel::sim {

inline std::optional<int> mutated_rate(std::optional<int> rate, Mutant mutant) {
  if (mutant == Mutant::TwiceTheRate && rate) return 2 * *rate;
  return rate;
}

inline int mutated_limit(int limit, Mutant mutant) {
  return mutant == Mutant::OneTooManyInFlight ? limit + 1 : limit;
}

inline std::optional<WallTime> mutated_schedule(std::optional<WallTime> at, Mutant mutant) {
  if (mutant == Mutant::SchedulesEarly && at) return *at - std::chrono::seconds(1);
  return at;
}

inline Duration mutated_grace(Duration grace, Mutant mutant) {
  return mutant == Mutant::StopsLate ? 2 * grace + std::chrono::seconds(1) : grace;
}

// Whether it answers what was asked for before it begins to carry that out.
inline bool is_answered_early(const judge::Asked& asked, Mutant mutant) {
  using judge::Act;
  switch (mutant) {
    case Mutant::PausesLate:
      return asked.act == Act::Pause;
    case Mutant::DeletesLate:
      return asked.act == Act::DeleteEndpoint;
    case Mutant::ExpungesLate:
      return asked.act == Act::Expunge;
    case Mutant::LimitsLate:
      return asked.act == Act::ChangeApplication;
    case Mutant::MovesLate:
      return asked.act == Act::ChangeEndpoint &&
             asked.json.find("\"url\"") != std::string_view::npos;
    default:
      return false;
  }
}

}  // namespace petrel::sim
