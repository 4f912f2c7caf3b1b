// OpenCircuits shows which endpoints have a circuit that is not closed, and why, to those who do
// not run on the lanes' own threads.
//
// Thread: safe.

#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/id.h"
#include "engine/lane_health.h"

namespace petrel::node {

class OpenCircuits {
 public:
  // Empty means that it is closed.
  void note(EndpointId endpoint, std::optional<engine::OpenCircuit> circuit) {
    const std::lock_guard lock(mutex_);
    if (circuit) {
      not_closed_.insert_or_assign(endpoint, *std::move(circuit));
    } else {
      not_closed_.erase(endpoint);
    }
  }

  // Empty if it is closed.
  std::optional<engine::OpenCircuit> find(EndpointId endpoint) const {
    const std::lock_guard lock(mutex_);
    const auto found = not_closed_.find(endpoint);
    if (found == not_closed_.end()) return std::nullopt;
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<EndpointId, engine::OpenCircuit> not_closed_;
};

}  // namespace petrel::node
