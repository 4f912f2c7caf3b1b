// Tallies as people read them, and how a store that has none gets them.
//
// Thread: any.

#pragma once

#include <vector>

#include "base/result.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_view.h"
#include "store/tally.h"

namespace petrel::store {

// The dead of messages from before `cutoff` are not counted: their time is over.
Result<EndpointTally> read_tally(Database& database, const TallyView& view, EndpointId endpoint,
                                 WallTime cutoff);

Result<std::vector<HourTally>> read_hours(Database& database, const TallyView& view,
                                          EndpointId endpoint, WallTime since, WallTime until);

// Counts everything that is stored, from the beginning.
Status count_all(Database& database);

}  // namespace petrel::store
