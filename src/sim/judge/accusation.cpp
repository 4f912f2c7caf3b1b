#include "sim/judge/accusation.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/rfc3339.h"

namespace petrel::sim::judge {
namespace {

struct Words {
  Rule rule;
  std::string_view name;
  std::string_view section;
};

// In the order of the enumeration.
constexpr std::array<Words, kRules> kWords = {{
    {Rule::Lost, "lost", "Promises 1"},
    {Rule::Unwanted, "unwanted", "Words"},
    {Rule::UntrueRecord, "untrue record", "Promises 2, 3"},
    {Rule::Repeated, "repeated", "Promises 2"},
    {Rule::Overspent, "overspent", "Retry policy"},
    {Rule::WrongEnd, "wrong end", "Exactly: Give-up"},
    {Rule::TooEarly, "too early", "Retry policy"},
    {Rule::HoldBroken, "hold broken", "Exactly: Hold"},
    {Rule::CircuitLeaks, "circuit leaks", "Exactly: Breaker"},
    {Rule::CircuitStuck, "circuit stuck", "Exactly: Open time"},
    {Rule::NotReleased, "not released", "Exactly: Release"},
    {Rule::WronglyReleased, "wrongly released", "Exactly: Release"},
    {Rule::RampBroken, "ramp broken", "Exactly: Ramp"},
    {Rule::RampEndless, "ramp endless", "Exactly: Ramp"},
    {Rule::InFlight, "in flight", "The lane"},
    {Rule::Authority, "authority", "Exactly: Authority cap"},
    {Rule::Rate, "rate", "Exactly: Rate"},
    {Rule::Slots, "slots", "Between endpoints"},
    {Rule::SlotShare, "slot share", "Between endpoints"},
    {Rule::KeptPlaces, "kept places", "Between endpoints"},
    {Rule::Unfair, "unfair", "Between endpoints"},
    {Rule::Paused, "paused", "The lane: pause"},
    {Rule::WronglyPaused, "wrongly paused", "Exactly: Pause streak"},
    {Rule::Deleted, "deleted", "States of a delivery"},
    {Rule::Scheduled, "scheduled", "Exactly: Breaker"},
    {Rule::Expunged, "expunged", "Exactly: Expunge"},
    {Rule::NotResent, "not resent", "Exactly: Resend"},
    {Rule::ReplayRate, "replay rate", "Replay"},
    {Rule::ReplayTwice, "replayed twice", "Replay"},
    {Rule::ReplayUnmeant, "replay unmeant", "Replay"},
    {Rule::ReplaySkipped, "replay skipped", "Replay"},
    {Rule::ReplayWord, "replay word", "Replay"},
    {Rule::Catalogue, "catalogue", "Exactly: Changes"},
    {Rule::Key, "key", "Promises 1"},
    {Rule::Retention, "retention", "Retention"},
    {Rule::Unbounded, "unbounded", "Between endpoints"},
    {Rule::Slow, "slow", "The lane"},
    {Rule::Restless, "restless", "The lane"},
    {Rule::BadStop, "bad stop", "Promises 3"},
    {Rule::Audit, "audit", "Promises 2"},
}};

}  // namespace

std::string_view to_string(Rule rule) { return kWords[static_cast<std::size_t>(rule)].name; }

std::string_view section_of(Rule rule) { return kWords[static_cast<std::size_t>(rule)].section; }

std::string Accusation::line() const {
  std::string line =
      fmt::format("{} {} ({}): {}", to_rfc3339(at.wall), to_string(rule), section_of(rule), text);
  if (endpoint) line += " [" + endpoint->text() + "]";
  if (message) line += " [" + message->text() + "]";
  return line;
}

}  // namespace petrel::sim::judge
