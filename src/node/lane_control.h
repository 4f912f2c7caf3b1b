// LaneControl is how the API reaches the lanes of the running server, wherever they live.
//
// Thread: safe. Answers come on any thread, exactly once.

#pragma once

#include <functional>
#include <optional>

#include "base/id.h"
#include "engine/lane_health.h"
#include "model/delivery.h"

namespace petrel::node {

struct LaneControl {
  // REQUIRES: the endpoint is in the catalogue.
  std::function<void(EndpointId, std::function<void(engine::LaneHealth)>)> health = {};

  // The next delivery is a probe, whatever is left of the open time.
  std::function<void(EndpointId)> probe_now = {};

  // Closed, and on with the ramp.
  std::function<void(EndpointId)> close_circuit = {};

  // Empty if its circuit is closed. At once, on any thread.
  std::function<std::optional<engine::OpenCircuit>(EndpointId)> open_circuit = {};

  // Whether an attempt of the delivery is in flight. At once, on any thread.
  std::function<bool(const model::DeliveryKey&)> is_sending = {};
};

}  // namespace petrel::node
