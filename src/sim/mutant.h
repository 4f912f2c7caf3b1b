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
  TwiceTheFurther,     // There are twice as many further slots as there should be.
  KeepsNoPlaces,       // At an authority nothing is kept for endpoints that have nothing in flight.
  KeepsTurns,          // What is for other lanes waits until a lane that sends has sent all.
  PausesCostTime,      // The engine is not told for how long the endpoint was paused.
  OpensForTooLong,     // A circuit stays open for a minute at least, not for 15 seconds.
  ProbeSpends,         // A probe before its time counts as an attempt.
  ReleasesTooSoon,     // What was asked for with Retry-After is not heeded after an outage.
  NeverReleases,       // After an outage nothing is made due sooner.
  RampLingers,         // A ramp goes on although there is nothing to do.
  LeaksClock,          // What is recorded of an attempt has the times of the raw wall clock.
  NeverSyncs,          // The store that lies on files answers before the sync.

  // One for each rule that none of these is accused of alone.
  RemembersDeleted,       // What is posted goes to an endpoint that was deleted as well.
  ShortensHolds,          // A starting node takes a tenth off the holds that it was in.
  OpensTooShort,          // A circuit stays open for 14 seconds at least, not for 15.
  OneTooManyAtAuthority,  // The engine is told a higher cap for authorities.
  OneSlotTooMany,         // The engine is told of more slots than there are.
  PausesLate,             // A pause is answered a minute before it is made.
  PausesTooSoon,          // 100 permanent failures in a row are enough, not only more.
  DeletesLate,            // A deletion is answered a minute before it is made.
  ExpungesLate,           // So is an expunction.
  MovesLate,              // So is a new URL.
  LimitsLate,             // So is the rate of an application.
  SchedulesEarly,         // The engine is told a deliverAt that is a second too early.
  ForgetsResends,         // A resend is answered, and nothing is done.
  RestsLate,              // A timer that is an hour away comes a quarter of an hour late.
  NeverSleeps,            // Loops look every ten seconds whether there is something to do.
  StopsLate,              // The engine is told a longer grace than the process has.
  DropsKeptPayloads,      // Retention drops the payload of a dead letter that is kept.
  PurgesTooSoon,          // Retention ends a tenth too early.
  NeverPurges,            // Retention drops nothing.
  MiscountsAttempts,      // The second attempt on record is called the third.
  // Of tasks; see task_defects.h.
  ProgressBehind,   // How far a task has come is a commit of its own, behind what was done.
  ProgressBefore,   // The same, before it.
  ForgetsNextAt,    // When the next one may go is not read.
  BeginsAtCeiling,  // A ramp is read as if it had come to its end.
  AlwaysTakes,      // A task that waits for its endpoints puts something back all the same.
  IgnoresRevision,  // A task is written whatever revision was read.
  ForgetsTasks,     // A starting process is not told which tasks are under way.
  LosesRows,        // Lists leave out a row now and then.
  ForgetsFilters,   // Which reasons and event types are meant is not read.
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

// A rule that no mutant is accused of, and why not.
struct UnprovenRule {
  judge::Rule rule;
  std::string_view why;
};
std::span<const UnprovenRule> unproven_rules();

std::optional<Mutant> parse_mutant(std::string_view name);

}  // namespace petrel::sim
