// How RocksDB is set up: what each family needs, and what holds for all.
//
// Thread: any.

#pragma once

#include <memory>
#include <vector>

#include <rocksdb/db.h>

#include "base/clock.h"
#include "store/rocksdb/retention.h"
#include "store/rocksdb/rocks_settings.h"

namespace petrel::store {

rocksdb::DBOptions make_db_options(const RocksSettings& settings, const Clock& clock);

// One for each family, in the order of `Family`.
std::vector<rocksdb::ColumnFamilyDescriptor> make_families(
    const RocksSettings& settings, const Clock& clock,
    const std::shared_ptr<const LivenessDoor>& liveness);

}  // namespace petrel::store
