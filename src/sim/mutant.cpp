#include "sim/mutant.h"

#include <array>

namespace petrel::sim {
namespace {

constexpr std::array kLines = {
    MutantLine{Mutant::ForgetsDelivery, "forgets-delivery", Property::NoLoss},
    MutantLine{Mutant::AnswersTooEarly, "answers-too-early", Property::NoLoss},
    MutantLine{Mutant::ForgesSuccess, "forges-success", Property::DeliveredIsTrue},
    MutantLine{Mutant::RepeatsDelivered, "repeats-delivered", Property::BoundedDuplicates},
    MutantLine{Mutant::OneTooManyInFlight, "one-too-many-in-flight", Property::InFlight},
    MutantLine{Mutant::IgnoresRetryAfter, "ignores-retry-after", Property::RetryAfter,
               Property::Delay},
    MutantLine{Mutant::OneAttemptTooMany, "one-attempt-too-many", Property::GivesUp},
    MutantLine{Mutant::WrongReason, "wrong-reason", Property::GivesUp},
    MutantLine{Mutant::Impatient, "impatient", Property::Delay},
    MutantLine{Mutant::SlowTimers, "slow-timers", Property::Delay, Property::HerdBound},
    MutantLine{Mutant::ForgetsKeys, "forgets-keys", Property::Idempotency},
    MutantLine{Mutant::ForgetsQueue, "forgets-queue", Property::ComesToRest},
    MutantLine{Mutant::LosesWakeups, "loses-wakeups", Property::Delay, Property::ComesToRest},
    MutantLine{Mutant::ForgetsLanes, "forgets-lanes", Property::CircuitHolds},
    MutantLine{Mutant::NeverRamps, "never-ramps", Property::HerdBound},
    MutantLine{Mutant::RampQuadruples, "ramp-quadruples", Property::HerdBound},
    MutantLine{Mutant::ForgetsRamps, "forgets-ramps", Property::HerdBound, Property::CircuitHolds},
    MutantLine{Mutant::TwiceTheRate, "twice-the-rate", Property::HerdBound},
    MutantLine{Mutant::NoHalfForOthers, "no-half-for-others", Property::Isolation},
    MutantLine{Mutant::KeepsTurns, "keeps-turns", Property::Isolation},
    MutantLine{Mutant::PausesCostTime, "pauses-cost-time", Property::GivesUp},
    MutantLine{Mutant::OpensForTooLong, "opens-for-too-long", Property::CircuitHolds},
    MutantLine{Mutant::ProbeSpends, "probe-spends", Property::GivesUp},
    MutantLine{Mutant::ReleasesTooSoon, "releases-too-soon", Property::RetryAfter, Property::Delay},
    MutantLine{Mutant::NeverReleases, "never-releases", Property::Delay},
    MutantLine{Mutant::RampLingers, "ramp-lingers", Property::HerdBound},
    MutantLine{Mutant::LeaksClock, "leaks-clock", Property::AuditGrows},
};

}  // namespace

std::span<const MutantLine> mutants() { return kLines; }

std::optional<Mutant> parse_mutant(std::string_view name) {
  for (const MutantLine& line : kLines) {
    if (line.name == name) return line.mutant;
  }
  return std::nullopt;
}

}  // namespace petrel::sim
