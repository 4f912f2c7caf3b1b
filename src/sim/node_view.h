// NodeView is how the simulation looks into the engine of a living node, whose lanes are on several
// shards: at what it counts, which is evidence, and for mutants at its lanes.
//
// Thread: confined.

#pragma once

#include "base/id.h"
#include "engine/core.h"
#include "node/node.h"

namespace petrel::sim {

class NodeView {
 public:
  NodeView(const node::Node& node, std::size_t shards) : node_(node), shards_(shards) {}

  // Null if there is no such lane.
  const engine::LaneState* lane(EndpointId endpoint) const {
    for (std::size_t i = 0; i < shards_; ++i) {
      if (const engine::LaneState* lane = node_.core(i).lane(endpoint)) return lane;
    }
    return nullptr;
  }

  engine::CoreCounts counts() const {
    engine::CoreCounts sum;
    for (std::size_t i = 0; i < shards_; ++i) {
      const engine::CoreCounts counts = node_.core(i).counts();
      sum.lanes += counts.lanes;
      sum.out += counts.out;
      sum.unsettled += counts.unsettled;
      sum.refused += counts.refused;
      sum.is_store_away = sum.is_store_away || counts.is_store_away;
    }
    return sum;
  }

 private:
  const node::Node& node_;
  std::size_t shards_;
};

}  // namespace petrel::sim
