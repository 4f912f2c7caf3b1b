#include "sim/mutant.h"

#include <array>

namespace petrel::sim {
namespace {

using judge::Rule;

constexpr std::array kLines = {
    MutantLine{Mutant::ForgetsDelivery, "forgets-delivery", {Property::NoLoss, Rule::Lost}},
    MutantLine{Mutant::AnswersTooEarly, "answers-too-early", {Property::NoLoss, Rule::Lost}},
    MutantLine{
        Mutant::ForgesSuccess, "forges-success", {Property::DeliveredIsTrue, Rule::UntrueRecord}},
    MutantLine{Mutant::RepeatsDelivered,
               "repeats-delivered",
               {Property::BoundedDuplicates, Rule::Repeated}},
    MutantLine{
        Mutant::OneTooManyInFlight, "one-too-many-in-flight", {Property::InFlight, Rule::InFlight}},
    MutantLine{Mutant::IgnoresRetryAfter,
               "ignores-retry-after",
               {Property::RetryAfter, Property::Delay, Rule::TooEarly, Rule::HoldBroken}},
    MutantLine{Mutant::OneAttemptTooMany,
               "one-attempt-too-many",
               {Property::GivesUp, Rule::Overspent, Rule::WrongEnd}},
    MutantLine{Mutant::WrongReason, "wrong-reason", {Property::GivesUp, Rule::WrongEnd}},
    MutantLine{Mutant::Impatient, "impatient", {Property::Delay, Rule::TooEarly}},
    MutantLine{Mutant::SlowTimers,
               "slow-timers",
               {Property::Delay, Property::HerdBound, Rule::Slow, Rule::CircuitStuck}},
    MutantLine{Mutant::ForgetsKeys, "forgets-keys", {Property::Idempotency, Rule::Key}},
    MutantLine{Mutant::ForgetsQueue,
               "forgets-queue",
               {Property::ComesToRest, Rule::Slow, Rule::Lost, Rule::CircuitStuck}},
    MutantLine{
        Mutant::LosesWakeups,
        "loses-wakeups",
        {Property::Delay, Property::ComesToRest, Rule::Slow, Rule::Lost, Rule::CircuitStuck}},
    MutantLine{Mutant::ForgetsLanes,
               "forgets-lanes",
               {Property::CircuitHolds, Rule::CircuitLeaks, Rule::HoldBroken, Rule::RampBroken}},
    MutantLine{Mutant::NeverRamps, "never-ramps", {Property::HerdBound, Rule::RampBroken}},
    MutantLine{Mutant::RampQuadruples, "ramp-quadruples", {Property::HerdBound, Rule::RampBroken}},
    MutantLine{Mutant::ForgetsRamps,
               "forgets-ramps",
               {Property::HerdBound, Property::CircuitHolds, Rule::RampBroken, Rule::CircuitLeaks}},
    MutantLine{Mutant::TwiceTheRate, "twice-the-rate", {Property::HerdBound, Rule::Rate}},
    MutantLine{Mutant::NoHalfForOthers,
               "no-half-for-others",
               {Property::Isolation, Rule::Unfair, Rule::Slow}},
    MutantLine{Mutant::KeepsTurns, "keeps-turns", {Property::Isolation, Rule::Unfair}},
    MutantLine{Mutant::PausesCostTime, "pauses-cost-time", {Property::GivesUp, Rule::WrongEnd}},
    MutantLine{Mutant::OpensForTooLong,
               "opens-for-too-long",
               {Property::CircuitHolds, Rule::CircuitStuck}},
    MutantLine{Mutant::ProbeSpends, "probe-spends", {Property::GivesUp, Rule::Overspent}},
    MutantLine{Mutant::ReleasesTooSoon,
               "releases-too-soon",
               {Property::RetryAfter, Property::Delay, Rule::WronglyReleased, Rule::TooEarly}},
    MutantLine{Mutant::NeverReleases, "never-releases", {Property::Delay, Rule::NotReleased}},
    MutantLine{
        Mutant::RampLingers, "ramp-lingers", {Property::HerdBound, Rule::RampEndless, Rule::Slow}},
    MutantLine{
        Mutant::LeaksClock, "leaks-clock", {Property::AuditGrows, Rule::Audit, Rule::UntrueRecord}},
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
