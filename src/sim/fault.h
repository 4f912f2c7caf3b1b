// Fault is everything that goes wrong in a simulated world, one word per kind, so that a run can
// say what it has lived through.
//
// Thread: any. Values.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petrel::sim {

enum class Fault : std::uint8_t {
  // What receivers do.
  Slow,
  ServerError,
  Refused,
  Hanging,     // No answer until the deadline.
  Lying,       // Processed, but the connection broke before the answer.
  Throttling,  // 429 without a word.
  RetryAfterSeconds,
  RetryAfterDate,
  RetryAfterZero,
  RetryAfterPast,
  RetryAfterRubbish,
  RetryAfterHuge,
  Overloaded,  // 503.
  Gone,
  NotFound,
  Rejected,  // Another 4xx.
  Redirected,
  Dns,
  Tls,
  Garbage,
  Flapping,
  RecoveredAtOnce,
  // What happens to us.
  OutOfDescriptors,
  Crash,
  CrashLosesWrite,
  CrashKeepsWrite,
  Restart,
  ClockForward,
  ClockBack,
  StoreFails,
  CommitUnknown,  // Written, but answered as if it was not.
  StoreSlow,      // One answer takes far longer than others.
  StoreStalls,
  DiskFull,
  LoadFails,
  AnswerLost,    // The producer does not hear that its message was accepted.
  PostRepeated,  // It does, and posts it again all the same.
  KeyReused,
  EndpointChanged,
  PausedByHand,
  UrlChanged,
  EndpointDeleted,
  CircuitOrdered,  // To be probed, or closed.
  Resent,
  Expunged,
  ApplicationLimited,  // An application's rate is set, changed or taken away.
  TaskStarted,
  TaskEdited,        // Paused, resumed or cancelled.
  EndpointDisabled,  // And enabled again.
  Scheduled,         // By the producer, for later.
  PowerCut,          // With the process go the bytes that were not synced.
  StoreReopened,     // The store that lies on files, by the next process.
};

inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(Fault::StoreReopened) + 1;

std::string_view to_string(Fault fault);

class FaultCounts {
 public:
  void add(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  void add(const FaultCounts& other);

  std::uint64_t of(Fault fault) const { return counts_[static_cast<std::size_t>(fault)]; }

 private:
  std::array<std::uint64_t, kFaultKinds> counts_{};
};

}  // namespace petrel::sim
