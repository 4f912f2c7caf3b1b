#include "sim/replay_mutant.h"

#include <array>

namespace petrel::sim {
namespace {

using Mutant = ReplayMutant;
using Promise = ReplayPromise;

constexpr std::array kLines = {
    ReplayMutantLine{Mutant::ProgressBehind, "progress-behind", Promise::Once},
    ReplayMutantLine{Mutant::ProgressBefore, "progress-before", Promise::NothingSkipped},
    ReplayMutantLine{Mutant::ForgetsNextAt, "forgets-next-at", Promise::Rate},
    ReplayMutantLine{Mutant::BeginsAtCeiling, "begins-at-ceiling", Promise::Rate},
    ReplayMutantLine{Mutant::AlwaysTakes, "always-takes", Promise::Standing},
    ReplayMutantLine{Mutant::IgnoresRevision, "ignores-revision", Promise::WordHolds},
    ReplayMutantLine{Mutant::ForgetsTasks, "forgets-tasks", Promise::ComesToRest},
    ReplayMutantLine{Mutant::LosesRows, "loses-rows", Promise::NothingSkipped},
    ReplayMutantLine{Mutant::ForgetsFilters, "forgets-filters", Promise::OnlyWhatIsMeant},
};

constexpr std::array<std::string_view, 7> kPromises = {"rate",
                                                       "standing",
                                                       "once",
                                                       "nothing skipped",
                                                       "only what is meant",
                                                       "people's word holds",
                                                       "comes to rest"};

}  // namespace

std::string_view to_string(ReplayPromise promise) {
  return kPromises[static_cast<std::size_t>(promise)];
}

std::span<const ReplayMutantLine> replay_mutants() { return kLines; }

std::optional<ReplayMutant> parse_replay_mutant(std::string_view name) {
  for (const ReplayMutantLine& line : kLines) {
    if (line.name == name) return line.mutant;
  }
  return std::nullopt;
}

}  // namespace petrel::sim
