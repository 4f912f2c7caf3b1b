// Mutant is a deliberate defect. The judge must accuse each of them, and of the rule that it
// breaks: a harness that never fails proves nothing.
//
// Thread: any. Values.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/judge/accusation.h"

namespace petrel::sim {

enum class Mutant : std::uint8_t {
  None,
  ForgetsDelivery,     // A message is accepted without some of its deliveries.
  AnswersTooEarly,     // The producer is told before the message is on disk.
  ForgesSuccess,       // A failed attempt is recorded as delivered.
  RepeatsDelivered,    // A delivery is handed to the engine again after it was delivered.
  OneTooManyInFlight,  // The engine is told a higher limit than the endpoint has.
  IgnoresRetryAfter,   // The header never reaches the engine.
  OneAttemptTooMany,   // The engine is told a higher maximum than the policy has.
  WrongReason,         // A dead delivery is recorded with another reason.
  Impatient,           // The engine is told half of the policy's delays.
  SlowTimers,          // Timers of the loop come half a minute late.
  ForgetsKeys,         // The idempotency key is left out of what is written.
  ForgetsQueue,        // A starting node does not take up what is in the store.
  LosesWakeups,        // A timer of the loop is forgotten now and then.
  ForgetsLanes,        // A starting node does not recall the state of its lanes.
  NeverRamps,          // A recovered endpoint gets everything at once.
  RampQuadruples,      // A ramp has four times as much with each step.
  ForgetsRamps,        // A starting node does not go on with the ramps that it was in.
  TwiceTheRate,        // The engine is told twice the rate that the endpoint has.
  NoHalfForOthers,     // Lanes in trouble may have all slots.
  KeepsTurns,          // What is for other lanes waits until a lane that sends has sent all.
  PausesCostTime,      // The engine is not told for how long the endpoint was paused.
  OpensForTooLong,     // A circuit stays open for a minute at least, not for 15 seconds.
  ProbeSpends,         // A probe before its time counts as an attempt.
  ReleasesTooSoon,     // What was asked for with Retry-After is not heeded after an outage.
  NeverReleases,       // After an outage nothing is made due sooner.
  RampLingers,         // A ramp goes on although there is nothing to do.
  LeaksClock,          // What is recorded of an attempt has the times of the raw wall clock.
  NeverSyncs,          // The store that lies on files answers before the sync.
};

struct MutantLine {
  Mutant mutant;
  std::string_view name;
  std::array<std::optional<judge::Rule>, 2> breaks;  // One or the other first.
  bool is_of_files = false;                          // Shows only where the store lies on files.

  bool may_break(judge::Rule rule) const {
    return std::find(breaks.begin(), breaks.end(), rule) != breaks.end();
  }
};

// All of them but None.
std::span<const MutantLine> mutants();

std::optional<Mutant> parse_mutant(std::string_view name);

}  // namespace petrel::sim
