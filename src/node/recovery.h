// Recovery is what a starting node reads from the store: everything that it goes on with.
//
// Thread: any; it waits for the disk.

#pragma once

#include <map>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "node/revoked_tokens.h"
#include "node/seams.h"
#include "store/kept_lane.h"

namespace petrel::node {

struct Recovery {
  std::map<EndpointId, store::KeptLane> kept_lanes;
  std::vector<EndpointId> with_work;  // Endpoints that have live deliveries.
};

// Fills the catalogue and the revoked tokens, too.
Result<Recovery> recover(const Seams& seams, RevokedTokens& revoked);

}  // namespace petrel::node
