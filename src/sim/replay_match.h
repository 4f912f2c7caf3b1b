// What a task is about, worked out from its selection alone: no word of src/replay is taken for it.
//
// Thread: any.

#pragma once

#include <optional>

#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/task.h"

namespace petrel::sim {

// A message and an endpoint, with the delivery between them if there is one.
struct ReplayCase {
  const model::Message& message;
  const model::Endpoint& endpoint;
  const std::optional<model::Delivery>& delivery;
};

bool is_meant(const model::Task& task, const ReplayCase& one);

}  // namespace petrel::sim
