// Accusation is one rule of the contract that a node broke: which, where it is written, what it is
// about, when, and what was seen, in a sentence that a person can act on.
//
// Thread: any. A value.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "sim/judge/evidence.h"

namespace petrel::sim::judge {

enum class Rule : std::uint8_t {
  Lost,
  Unwanted,
  UntrueRecord,
  Repeated,
  Overspent,
  WrongEnd,
  TooEarly,
  HoldBroken,
  CircuitLeaks,
  CircuitStuck,
  NotReleased,
  WronglyReleased,
  RampBroken,
  RampEndless,
  InFlight,
  Authority,
  Rate,
  Slots,
  SlotShare,
  KeptPlaces,
  Unfair,
  Paused,
  WronglyPaused,
  Deleted,
  Scheduled,
  Expunged,
  NotResent,
  ReplayRate,
  ReplayTwice,
  ReplayUnmeant,
  ReplaySkipped,
  ReplayWord,
  Catalogue,
  Key,
  Retention,
  Unbounded,
  Slow,
  Restless,
  BadStop,
  Audit,
};

inline constexpr std::size_t kRules = static_cast<std::size_t>(Rule::Audit) + 1;

// "too early".
std::string_view to_string(Rule rule);

// Where delivery.md has it: "Retry policy".
std::string_view section_of(Rule rule);

struct Accusation {
  Rule rule;
  Moment at;
  std::string text;  // What was seen, in plain words.
  std::optional<EndpointId> endpoint = std::nullopt;
  std::optional<MessageId> message = std::nullopt;

  // All of it in one line.
  std::string line() const;
};

}  // namespace petrel::sim::judge
