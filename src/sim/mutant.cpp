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
    MutantLine{Mutant::TwiceTheFurther, "twice-the-further", {Rule::SlotShare}},
    MutantLine{Mutant::KeepsNoPlaces, "keeps-no-places", {Rule::KeptPlaces}},
    MutantLine{Mutant::KeepsTurns, "keeps-turns", {Rule::Unfair}},
    MutantLine{Mutant::PausesCostTime, "pauses-cost-time", {Rule::WrongEnd}},
    MutantLine{Mutant::OpensForTooLong, "opens-for-too-long", {Rule::CircuitStuck}},
    MutantLine{Mutant::ProbeSpends, "probe-spends", {Rule::Overspent}},
    MutantLine{Mutant::ReleasesTooSoon, "releases-too-soon", {Rule::WronglyReleased}},
    MutantLine{Mutant::NeverReleases, "never-releases", {Rule::NotReleased}},
    MutantLine{Mutant::RampLingers, "ramp-lingers", {Rule::Slow}},
    MutantLine{Mutant::LeaksClock, "leaks-clock", {Rule::UntrueRecord, Rule::Audit}},
    MutantLine{Mutant::NeverSyncs, "never-syncs", {Rule::Lost, Rule::Repeated}, true},
    MutantLine{Mutant::RemembersDeleted, "remembers-deleted", {Rule::Unwanted}},
    MutantLine{Mutant::ShortensHolds, "shortens-holds", {Rule::HoldBroken}},
    MutantLine{Mutant::OpensTooShort, "opens-too-short", {Rule::CircuitLeaks}},
    MutantLine{Mutant::OneTooManyAtAuthority, "one-too-many-at-authority", {Rule::Authority}},
    MutantLine{Mutant::OneSlotTooMany, "one-slot-too-many", {Rule::Slots}},
    MutantLine{Mutant::PausesLate, "pauses-late", {Rule::Paused}},
    MutantLine{Mutant::PausesTooSoon, "pauses-too-soon", {Rule::WronglyPaused}},
    MutantLine{Mutant::DeletesLate, "deletes-late", {Rule::Deleted}},
    MutantLine{Mutant::ExpungesLate, "expunges-late", {Rule::Expunged}},
    MutantLine{Mutant::MovesLate, "moves-late", {Rule::Catalogue}},
    MutantLine{Mutant::LimitsLate, "limits-late", {Rule::Rate}},
    MutantLine{Mutant::SchedulesEarly, "schedules-early", {Rule::Scheduled}},
    MutantLine{Mutant::ForgetsResends, "forgets-resends", {Rule::NotResent}},
    MutantLine{Mutant::RestsLate, "rests-late", {Rule::Unbounded}},
    MutantLine{Mutant::NeverSleeps, "never-sleeps", {Rule::Restless}},
    MutantLine{Mutant::StopsLate, "stops-late", {Rule::BadStop}},
    MutantLine{Mutant::DropsKeptPayloads, "drops-kept-payloads", {Rule::Retention}},
    MutantLine{Mutant::PurgesTooSoon, "purges-too-soon", {Rule::Retention}},
    MutantLine{Mutant::NeverPurges, "never-purges", {Rule::Retention}},
    MutantLine{Mutant::MiscountsAttempts, "miscounts-attempts", {Rule::Audit}},
    MutantLine{Mutant::ProgressBehind, "progress-behind", {Rule::ReplayTwice}},
    MutantLine{Mutant::ProgressBefore, "progress-before", {Rule::ReplaySkipped}},
    MutantLine{Mutant::ForgetsNextAt, "forgets-next-at", {Rule::ReplayRate}},
    MutantLine{Mutant::BeginsAtCeiling, "begins-at-ceiling", {Rule::ReplayRate}},
    MutantLine{Mutant::AlwaysTakes, "always-takes", {Rule::ReplayRate}},
    MutantLine{Mutant::IgnoresRevision, "ignores-revision", {Rule::ReplayWord}},
    MutantLine{Mutant::ForgetsTasks, "forgets-tasks", {Rule::ReplaySkipped}},
    MutantLine{Mutant::LosesRows, "loses-rows", {Rule::ReplaySkipped}},
    MutantLine{Mutant::ForgetsFilters, "forgets-filters", {Rule::ReplayUnmeant}},
};

constexpr std::array kUnproven = {
    UnprovenRule{Rule::RampEndless,
                 "a ramp that lingers is late at first, by the rule on slowness"},
};

}  // namespace

std::span<const UnprovenRule> unproven_rules() { return kUnproven; }

std::span<const MutantLine> mutants() { return kLines; }

std::optional<Mutant> parse_mutant(std::string_view name) {
  for (const MutantLine& line : kLines) {
    if (line.name == name) return line.mutant;
  }
  return std::nullopt;
}

}  // namespace petrel::sim
