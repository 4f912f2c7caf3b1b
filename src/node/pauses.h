// Pauses puts the pauses that lanes asked for on disk, and tries until they are: a restart must not
// wake an endpoint that told us to stop. The lane stands still already.
//
// Thread: want() on any; the rest on the control loop.

#pragma once

#include <memory>
#include <optional>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/loop.h"
#include "engine/core.h"
#include "node/changes.h"

namespace petrel::node {

class Pauses {
 public:
  static constexpr Duration kTryAgain = std::chrono::seconds(1);

  Pauses(Loop& control, const Clock& clock, Changes& changes)
      : clock_(clock), changes_(changes), alarms_(control) {}
  Pauses(const Pauses&) = delete;
  Pauses& operator=(const Pauses&) = delete;

  void want(const engine::PauseCommand& pause);

 private:
  struct Wish {
    engine::PauseCommand pause;
    WallTime since;

    // How long the endpoint had been held at the first try. If a pause has ended since, that was
    // perhaps this one, of which the store could not say that it was written: a person has resumed
    // the endpoint, and is not to be overruled.
    std::optional<Duration> held_before = std::nullopt;
  };
  void want(const std::shared_ptr<Wish>& wish);

  const Clock& clock_;
  Changes& changes_;
  Alarms alarms_;
};

}  // namespace petrel::node
