// HeldTime is for how long something was kept from sending in all: the time for which the give-up
// clock of its deliveries stood still.
//
// Thread: any. A value.

#pragma once

#include <algorithm>
#include <optional>

#include "base/time.h"

namespace petrel::model {

struct HeldTime {
  std::optional<WallTime> since;  // While it is held.
  Duration total{};               // Of the times that are over.

  // To be told at every change. A wall clock that was set back meanwhile takes nothing away.
  void note(bool is_held, WallTime now) {
    if (is_held && !since) since = now;
    if (is_held || !since) return;
    total += std::max(now - *since, Duration::zero());
    since.reset();
  }

  // As of now.
  Duration total_at(WallTime now) const {
    return total + (since ? std::max(now - *since, Duration::zero()) : Duration::zero());
  }

  friend bool operator==(const HeldTime&, const HeldTime&) = default;
};

}  // namespace petrel::model
