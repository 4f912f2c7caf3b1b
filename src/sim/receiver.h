// Receiver plays the other side of one endpoint: what it answers to a request, and when.
//
// Thread: confined.

#pragma once

#include <optional>

#include "base/time.h"
#include "model/attempt.h"
#include "sim/dice.h"
#include "sim/scenario.h"

namespace petrel::sim {

struct Reply {
  std::optional<Fault> fault;

  Duration ends_after{};  // When we know what came of it.

  model::AttemptResult result;
};

class Receiver {
 public:
  explicit Receiver(const EndpointPlan& plan) : plan_(plan) {}

  Reply reply(MonoTime now, WallTime wall, Duration timeout, Dice& dice) const;

  // From now on it is healthy.
  void heal() { is_healed_ = true; }

 private:
  const Behaviour& behaviour(MonoTime now) const;

  const EndpointPlan& plan_;
  bool is_healed_ = false;
};

}  // namespace petrel::sim
