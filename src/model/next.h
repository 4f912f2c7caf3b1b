// Next says why the next attempt of a delivery is due when it is: which rule set its due time, and
// the figures behind it. It is decided with the attempt before it and stored with the delivery, so
// that "in 43 minutes" can be explained long afterwards.
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace petrel::model {

// What set the due time.
enum class NextBasis : std::uint8_t {
  Schedule,    // The retry policy's backoff.
  RetryAfter,  // The receiver's Retry-After was longer than the backoff.
  Probe,       // The circuit was probed early; the due time is the one from before the probe.
  Release,     // The receiver has recovered from an outage, so the backoff was cut short.
  Resend,      // A person sent it again.
  Replay,      // A replay or recover task put it back.
};

std::string_view to_string(NextBasis basis);

struct Next {
  NextBasis basis = NextBasis::Schedule;

  // The backoff before jitter, after a 429's doubling and the policy's maximum.
  Duration nominal{};

  // What jitter added to it; negative if it made the wait shorter.
  Duration jitter{};

  // What the receiver asked for, which may be more than the policy grants.
  std::optional<Duration> retry_after = std::nullopt;

  // The end of the wait that the receiver asked for and the policy granted. No release after an
  // outage goes before it.
  std::optional<WallTime> not_before = std::nullopt;

  // Once it was released: the due time that it had before. Until then it is not released again, and
  // an attempt that fails leaves it due no earlier.
  std::optional<WallTime> released_from = std::nullopt;

  friend bool operator==(const Next&, const Next&) = default;
};

}  // namespace petrel::model
