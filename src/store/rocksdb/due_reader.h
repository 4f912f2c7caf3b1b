// What the engine reads of the embedded store: the due index and the payloads.
//
// Thread: safe.

#pragma once

#include <vector>

#include "base/result.h"
#include "store/rocksdb/database.h"
#include "store/store.h"

namespace petrel::store {

// Without what is damaged, which is noted.
Result<DuePage> read_due(Database& database, const DueQuery& query);

// In their order; without bytes for one that is not there, or not any more at `now`.
Result<std::vector<LoadedPayload>> read_payloads(Database& database,
                                                 const std::vector<MessageId>& messages,
                                                 WallTime now, PayloadKeeper& keeper);

// All that there are, if a part of the due index cannot be read.
Result<std::vector<EndpointId>> read_endpoints_with_live(Database& database);

}  // namespace petrel::store
