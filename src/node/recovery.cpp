#include "node/recovery.h"

#include <optional>
#include <utility>

#include "engine/resumption.h"

namespace petrel::node {

namespace {

void recall_resumes(const Seams& seams, Recovery& recovery) {
  const WallTime now = seams.clock.wall();
  for (const store::EndpointPtr& endpoint : seams.catalogue.all_endpoints()) {
    const auto found = recovery.kept_lanes.find(endpoint->id);
    const auto kept =
        found == recovery.kept_lanes.end() ? std::nullopt : std::optional(found->second);
    auto resumed = engine::with_ramp_of_resume(kept, *endpoint, now);
    if (resumed) recovery.kept_lanes.insert_or_assign(endpoint->id, *std::move(resumed));
  }
}

}  // namespace

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
  recall_resumes(seams, recovery);
  Result<std::vector<EndpointId>> live = seams.store.endpoints_with_live();
  if (!live.ok()) return live.error();
  recovery.with_work = *std::move(live);
  return recovery;
}

}  // namespace petrel::node
