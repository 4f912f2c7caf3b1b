// Receiver plays the other side of one endpoint: what it answers to a request, when, and whether it
// has processed it, whatever it says.
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

  Duration arrives_after{};  // When the receiver has the request.
  Duration ends_after{};     // When we know what came of it. Not before it arrives.

  // It did what the request asked for, which the result may not show.
  bool is_processed = false;

  // How long the receiver meant us to wait, if it said so in a way that counts.
  std::optional<Duration> wish;

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
