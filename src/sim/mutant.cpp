#include "sim/mutant.h"

#include <array>

namespace petrel::sim {
namespace {

using judge::Rule;

constexpr std::array kLines = {
    MutantLine{Mutant::ForgetsDelivery, "forgets-delivery", {Rule::Lost}},
    MutantLine{Mutant::AnswersTooEarly, "answers-too-early", {Rule::Lost}},
    MutantLine{Mutant::ForgesSuccess, "forges-success", {Rule::UntrueRecord}},
    MutantLine{Mutant::RepeatsDelivered, "repeats-delivered", {Rule::Repeated}},
    MutantLine{Mutant::OneTooManyInFlight, "one-too-many-in-flight", {Rule::InFlight}},
    MutantLine{
        Mutant::IgnoresRetryAfter, "ignores-retry-after", {Rule::TooEarly, Rule::HoldBroken}},
    MutantLine{
        Mutant::OneAttemptTooMany, "one-attempt-too-many", {Rule::WrongEnd, Rule::Overspent}},
    MutantLine{Mutant::WrongReason, "wrong-reason", {Rule::WrongEnd}},
    MutantLine{Mutant::Impatient, "impatient", {Rule::TooEarly}},
    MutantLine{Mutant::SlowTimers, "slow-timers", {Rule::Slow}},
    MutantLine{Mutant::ForgetsKeys, "forgets-keys", {Rule::Key}},
    MutantLine{Mutant::ForgetsQueue, "forgets-queue", {Rule::Slow, Rule::Lost}},
    MutantLine{Mutant::LosesWakeups, "loses-wakeups", {Rule::Slow, Rule::Lost}},
    MutantLine{Mutant::ForgetsLanes, "forgets-lanes", {Rule::CircuitLeaks, Rule::HoldBroken}},
    MutantLine{Mutant::NeverRamps, "never-ramps", {Rule::RampBroken}},
    MutantLine{Mutant::RampQuadruples, "ramp-quadruples", {Rule::RampBroken}},
    MutantLine{Mutant::ForgetsRamps, "forgets-ramps", {Rule::RampBroken}},
    MutantLine{Mutant::TwiceTheRate, "twice-the-rate", {Rule::Rate}},
    MutantLine{Mutant::NoHalfForOthers, "no-half-for-others", {Rule::Unfair}},
    MutantLine{Mutant::KeepsTurns, "keeps-turns", {Rule::Unfair}},
    MutantLine{Mutant::PausesCostTime, "pauses-cost-time", {Rule::WrongEnd}},
    MutantLine{Mutant::OpensForTooLong, "opens-for-too-long", {Rule::CircuitStuck}},
    MutantLine{Mutant::ProbeSpends, "probe-spends", {Rule::Overspent}},
    MutantLine{Mutant::ReleasesTooSoon, "releases-too-soon", {Rule::WronglyReleased}},
    MutantLine{Mutant::NeverReleases, "never-releases", {Rule::NotReleased}},
    MutantLine{Mutant::RampLingers, "ramp-lingers", {Rule::RampEndless, Rule::Slow}},
    MutantLine{Mutant::LeaksClock, "leaks-clock", {Rule::UntrueRecord, Rule::Audit}},
    MutantLine{Mutant::NeverSyncs, "never-syncs", {Rule::Lost}, true},
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
