// LaneHealth is the state of a lane as people want to know it, with the times of the wall clock.
//
// Thread: any. Values.

#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "engine/attempt_history.h"
#include "engine/lane_state.h"
#include "engine/now.h"
#include "lane/circuit_breaker.h"
#include "lane/rate.h"

namespace petrel::engine {

struct LaneHealth {
  struct Circuit {
    lane::CircuitBreaker::State state = lane::CircuitBreaker::State::Closed;
    WallTime since;
    std::string why;  // Empty while it is closed.
    std::optional<WallTime> next_probe_at;
  };
  struct Ramp {
    lane::Rate rate;
    int in_flight_max = 1;
  };

  Circuit circuit;
  int in_flight = 0;
  int in_flight_limit = 0;  // As it is now, within the maximum.
  int in_flight_max = 0;
  std::optional<int> throttle_rate;
  std::optional<Ramp> ramp;
  std::optional<WallTime> held_until;
  std::string waits_for;  // Why the next delivery has to wait. Empty if none has to.
  AttemptHistory::Figures history;
};

// What lists need to know of a circuit that is not closed.
struct OpenCircuit {
  std::string why;
  std::optional<WallTime> next_probe_at = std::nullopt;  // Empty while a probe is in flight.
};

LaneHealth health_of(const LaneState& state, const Now& now);

// Empty if the circuit is closed.
std::optional<OpenCircuit> open_circuit_of(const LaneState& state, const Now& now);

}  // namespace petrel::engine
