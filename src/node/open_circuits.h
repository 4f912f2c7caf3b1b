// OpenCircuits shows which endpoints have a circuit that is not closed, and why, to those who do
// not run on the lanes' own threads.
//
// Thread: safe.

#pragma once

#include <optional>
#include <unordered_map>
#include <utility>

#include "base/guarded.h"
#include "base/id.h"
#include "engine/lane_health.h"

namespace petrel::node {

class OpenCircuits {
 public:
  // Gives what was noted before. Empty means that it is closed.
  std::optional<engine::OpenCircuit> note(EndpointId endpoint,
                                          std::optional<engine::OpenCircuit> circuit) {
    return not_closed_.with([&](auto& circuits) {
      std::optional<engine::OpenCircuit> before;
      const auto found = circuits.find(endpoint);
      if (found != circuits.end()) before = std::move(found->second);
      if (circuit) {
        circuits.insert_or_assign(endpoint, *std::move(circuit));
      } else if (before) {
        circuits.erase(found);
      }
      return before;
    });
  }

  // Empty if it is closed.
  std::optional<engine::OpenCircuit> find(EndpointId endpoint) const {
    return not_closed_.with([&](const auto& circuits) -> std::optional<engine::OpenCircuit> {
      const auto found = circuits.find(endpoint);
      if (found == circuits.end()) return std::nullopt;
      return found->second;
    });
  }

 private:
  Guarded<std::unordered_map<EndpointId, engine::OpenCircuit>> not_closed_;
};

}  // namespace petrel::node
