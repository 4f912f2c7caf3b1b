// Tallies as people read them, and how a store that has none gets them.
//
// Thread: any.

#pragma once

#include <vector>

#include "base/result.h"
#include "store/purge.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_view.h"
#include "store/tally.h"

namespace petrel::store {

Result<EndpointTally> read_tally(Database& database, const TallyView& view, EndpointId endpoint);

// Without an application: of all of them.
Result<KeptSizes> read_kept(Database& database, const TallyView& view,
                            std::optional<ApplicationId> application);

Result<std::vector<HourTally>> read_hours(Database& database, const TallyView& view,
                                          EndpointId endpoint, WallTime since, WallTime until);

// Counts everything that is stored, from the beginning.
Status count_all(Database& database);

}  // namespace petrel::store
