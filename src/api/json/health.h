// How an endpoint does right now, as JSON: its lane, what waits for it, and what has died.
//
// Thread: any.

#pragma once

#include <optional>

#include "base/json_writer.h"
#include "base/time.h"
#include "engine/lane_health.h"
#include "model/endpoint.h"
#include "store/tally.h"

namespace petrel::api {

struct HealthView {
  const model::Endpoint& endpoint;
  engine::LaneHealth lane;
  store::EndpointTally tally;
  std::optional<WallTime> oldest_at;  // When the oldest of what is due next was accepted.
  WallTime now;
};

void write_health(const HealthView& view, JsonWriter& json);

}  // namespace petrel::api
