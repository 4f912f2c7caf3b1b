// Reached is what a run has come by, beside its faults: which acts of people there were, and which
// rare turns a day can take. A run that is long enough has to reach all of them, or it proves
// nothing about them.
//
//   Reached reached;
//   reached.add(Landmark::ProbeThrottled);
//   unreached(reached, faults, …)    → "probe lost in a crash", …
//
// Thread: any. Values.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fault.h"
#include "sim/judge/evidence.h"

namespace petrel::sim {

enum class Landmark : std::uint8_t {
  // What a starting process finds of the one before.
  StartedWithOpenCircuit,
  StartedWithHold,
  StartedWithRamp,
  StartedWithPausedLane,
  StartedWithMove,     // Its predecessor had requests out to the URL from before a change.
  StartedWithOutcome,  // Its predecessor was told of an outcome and had not written it yet.
  // How a circuit opens, and what becomes of a probe.
  OpenedByStreak,
  OpenedByWindow,
  OpenedByExhaustion,
  ProbeEarly,  // Sent before its delivery was due.
  ProbeFailed,
  ProbeThrottled,
  ProbeLost,  // In a crash.
  // After an outage.
  ReleaseBegun,  // The store was handed what makes something due sooner.
  Released,      // It is on disk.
  ReleaseCut,    // A crash came between.
  // What people do at bad moments.
  MovedInFlight,
  DeletedInFlight,
  PausedInFlight,
  ResentInFlight,
  ResentProbe,  // While it is in flight.
  ToldGone,     // By a 410, with more that waits.
  LoadBegun,    // Of a payload that is not in memory.
  ExpungedWhileLoading,
  // What the node does by itself.
  PausedByItself,
  // A write that happened, and was answered as if it had not.
  UnknownAccept,
  UnknownSettle,
  UnknownChange,
  UnknownLane,  // The state of a lane.
  // An outcome is on disk after a later one of its endpoint, whose circuit is open.
  WrittenLate,
};

inline constexpr std::size_t kLandmarks = static_cast<std::size_t>(Landmark::WrittenLate) + 1;
inline constexpr std::size_t kActs = static_cast<std::size_t>(judge::Act::CancelTask) + 1;

// "probe lost in a crash".
std::string_view to_string(Landmark landmark);

class Reached {
 public:
  void add(Landmark landmark) { ++landmarks_[static_cast<std::size_t>(landmark)]; }
  void add(judge::Act act) { ++acts_[static_cast<std::size_t>(act)]; }
  void add(const Reached& other);

  std::uint64_t of(Landmark landmark) const {
    return landmarks_[static_cast<std::size_t>(landmark)];
  }
  std::uint64_t of(judge::Act act) const { return acts_[static_cast<std::size_t>(act)]; }

 private:
  std::array<std::uint64_t, kLandmarks> landmarks_{};
  std::array<std::uint64_t, kActs> acts_{};
};

// Whether anybody does this in a simulated day at all.
bool is_done_in_a_day(judge::Act act);

// Everything that there is to reach and that was not, by name. What only a store on files brings
// about counts if `has_files`.
std::vector<std::string> unreached(const Reached& reached, const FaultCounts& faults,
                                   bool has_files);

}  // namespace petrel::sim
