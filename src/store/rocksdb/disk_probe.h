// Tries whether the disk under a store that has failed would let it be opened again.
//
// Thread: any.

#pragma once

#include "base/result.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/rocks_settings.h"

namespace petrel::store {

// Done if there is room for what opening it writes (all that lies in memory now, as files) and for
// some more, and if a file can be written and synced. Otherwise Unavailable.
Status probe_disk(Database& database, const RocksSettings& settings);

}  // namespace petrel::store
