#include "node/recovery.h"

#include <utility>

namespace petrel::node {

Result<Recovery> recover(const Seams& seams, RevokedTokens& revoked) {
  if (Status loaded = seams.catalogue.load(seams.browse); !loaded.ok()) return loaded.error();
  if (Status loaded = revoked.load(seams.browse); !loaded.ok()) return loaded.error();
  const Result<store::Browse::KeptLanes> kept = seams.browse.kept_lanes();
  if (!kept.ok()) return kept.error();
  Recovery recovery;
  for (const auto& [endpoint, bytes] : *kept) {
    const Result<store::KeptLane> lane = store::decode_kept_lane(bytes);
    // One that cannot be read begins anew: it is only the memory of a storm, no event.
    if (lane.ok()) recovery.kept_lanes.emplace(endpoint, *lane);
  }
  Result<std::vector<EndpointId>> live = seams.store.endpoints_with_live();
  if (!live.ok()) return live.error();
  recovery.with_work = *std::move(live);
  return recovery;
}

}  // namespace petrel::node
