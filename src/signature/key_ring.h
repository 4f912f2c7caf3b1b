// KeyRing holds the secrets of one endpoint: the current one, and those it replaced that are
// still valid for a while, so that a receiver can change its key without missing a message.
//
//   rotate(B) at noon, grace 24 h        rotate(C) at 6 pm, grace 24 h
//   signs with:  A  →  B A (until noon tomorrow)  →  C B A  →  C B (until 6 pm)  →  C
//
// A secret that expires at a moment no longer signs at that moment. Expired secrets stay in the
// record, unused, until prune() or the next rotation takes them out.
//
// Thread: confined. A plain value; time is handed in, never read.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "signature/secret.h"

namespace petrel::signature {

struct ExpiringSecret {
  Secret secret;
  WallTime expires_at;

  friend bool operator==(const ExpiringSecret&, const ExpiringSecret&) = default;
};

struct KeyRing {
  static constexpr Duration kGraceDefault = std::chrono::hours(24);
  static constexpr Duration kGraceMax = std::chrono::days(7);

  // Each old secret adds a signature to the header of every attempt.
  static constexpr std::size_t kOldMax = 10;

  Secret current;
  std::vector<ExpiringSecret> old = {};  // The one replaced last comes first.

  // Makes `next` the current secret; the one it replaces stays valid for `grace`, not at all if
  // that is zero. Repeating a rotation changes nothing, and going back to an old secret takes it
  // out of the old ones.
  //
  // Fails with Invalid at `gracePeriodSeconds` if grace is not in 0 … kGraceMax, and with
  // Conflict, saying when the next one expires, if kOldMax old secrets are still valid. The ring
  // is then as it was. A rotation without grace is never refused for their number: one who
  // replaces a leaked secret must not have to wait.
  Status rotate(Secret next, WallTime now, Duration grace = kGraceDefault);

  // What to sign with at `now`: the current secret, then the old ones that have not expired, the
  // one replaced last first.
  std::vector<Secret> active(WallTime now) const;

  // The first moment after `now` at which active() changes by itself. Empty if it never does.
  std::optional<WallTime> next_expiry(WallTime now) const;

  // Takes out the old secrets that have expired.
  void prune(WallTime now);

  friend bool operator==(const KeyRing&, const KeyRing&) = default;
};

}  // namespace petrel::signature
