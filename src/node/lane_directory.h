// LaneDirectory is what others may ask of lanes, and tell them, wherever they live.
//
// Thread: safe. Answers come exactly once, on any thread.

#pragma once

#include <cstdint>
#include <optional>

#include "base/function.h"
#include "base/id.h"
#include "base/result.h"
#include "engine/lane_health.h"
#include "engine/suspect_list.h"
#include "model/delivery.h"

namespace petrel::node {

// What an operator tells a lane.
enum class LaneOrder : std::uint8_t {
  Probe,  // The next delivery is a probe, whatever is left of the open time.
  Close,  // Closed, and on with the ramp.
};

class LaneDirectory {
 public:
  virtual ~LaneDirectory() = default;

  // NotFound if there is no such endpoint. Asking makes no lane.
  virtual void health(EndpointId endpoint, Function<void(Result<engine::LaneHealth>)> answer) = 0;

  virtual void order(EndpointId endpoint, LaneOrder order, Function<void(Status)> done) = 0;

  // Empty if its circuit is closed. At once.
  virtual std::optional<engine::OpenCircuit> open_circuit(EndpointId endpoint) const = 0;

  // Whether an attempt of the delivery is in flight. At once.
  virtual bool is_sending(const model::DeliveryKey& delivery) const = 0;

  // Whether it is kept apart as it was in flight at crashes, and why; empty if not. At once.
  virtual std::optional<engine::SuspectList::Entry> suspicion(
      const model::DeliveryKey& delivery) const = 0;
};

}  // namespace petrel::node
