// decide() is the heart of Petrel: what becomes of a delivery after an attempt.
//
// It is arithmetic and nothing else: it keeps no state, reads no clock and arms no timer. The same
// progress, outcome, moment and random numbers always give the same answer, so a week of retries is
// tested in microseconds.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/random.h"
#include "base/time.h"
#include "policy/outcome.h"
#include "policy/receiver_directive.h"
#include "policy/retry_policy.h"
#include "policy/tally.h"

namespace petrel::policy {

// How far a delivery has come. It changes only by decide() and is stored with the delivery.
struct Progress {
  int attempts = 0;                    // Attempts that were spent in the present budget.
  std::optional<WallTime> give_up_at;  // Set by the first of them.
  Duration delay_previous{};           // The last delay drawn; decorrelated jitter builds on it.
  Tally tally;                         // How the attempts ended.

  friend bool operator==(const Progress&, const Progress&) = default;
};

// What is known about an attempt that has ended.
struct AttemptEnd {
  Outcome outcome;
  std::optional<Duration> retry_after;  // What the receiver asked for, in any failed answer.
  WallTime started_at;
  WallTime ended_at;
  ReceiverDirective directive = {};  // What else it asked for, in any answer.

  // Set for a probe of a circuit that went before its delivery was due: when that is.
  std::optional<WallTime> early_for = std::nullopt;
};

enum class DeadReason : std::uint8_t {
  Permanent,  // A final status, or too many of an ambiguous one.
  Exhausted,  // All attempts are spent.
  Expired,    // The next attempt would come after the give-up time.
  Gone,       // The receiver said 410: it does not want this any more.
  Cancelled,  // By the user, by the receiver's request, or because the endpoint was deleted.
  Blocked,    // The address guard refused the receiver's address.
};

std::string_view to_string(DeadReason reason);
std::optional<DeadReason> parse_dead_reason(std::string_view text);

// A success. Nothing more is to be done.
struct Delivered {
  friend bool operator==(const Delivered&, const Delivered&) = default;
};

// It is tried again, not before `at`.
struct TryAgain {
  WallTime at;
  Duration delay;                      // The backoff drawn, before Retry-After.
  bool is_retry_after = false;         // Retry-After decided, not the backoff.
  bool is_retry_after_capped = false;  // Retry-After was longer than the policy grants.
  Duration nominal{};                  // The backoff before jitter.

  // It was an early probe: nothing was spent, and the due time is the one from before.
  bool is_early = false;

  // When the wait ends that the receiver asked for, as far as the policy grants it.
  std::optional<WallTime> not_before = std::nullopt;

  friend bool operator==(const TryAgain&, const TryAgain&) = default;
};

// It moves to the dead letters.
struct Dead {
  DeadReason reason;

  friend bool operator==(const Dead&, const Dead&) = default;
};

// The attempt was no attempt: count, history and due time stay as they were.
struct NotSpent {
  friend bool operator==(const NotSpent&, const NotSpent&) = default;
};

struct Decision {
  std::variant<Delivered, TryAgain, Dead, NotSpent> fate;

  bool pauses_endpoint = false;

  // Until when the receiver wants the whole lane left in peace (Retry-After on 429 and 503).
  std::optional<WallTime> lane_held_until;

  // A 4xx that no retry will mend: a person has to look at the request.
  bool raises_notice = false;

  Progress progress;  // After this attempt.
};

// What becomes of a delivery with `before` behind it, now that an attempt has ended.
//
// A probe that went before its delivery was due, and is to be tried again, spends nothing: count,
// tally and due time stay as they were, unless the receiver asks for a longer wait.
//
// What a receiver asks for goes before what its status means, but a success stays one. A delivery
// whose endpoint is to be disabled is kept for later, with all the attempts that it had left: the
// directive says nothing about the message.
Decision decide(const RetryPolicy& policy, const Progress& before, const AttemptEnd& end,
                Random& random);

}  // namespace petrel::policy
