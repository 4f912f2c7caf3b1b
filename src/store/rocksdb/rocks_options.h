// How RocksDB is set up: what each family needs, and what holds for all.
//
// Thread: any.

#pragma once

#include <memory>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "base/clock.h"
#include "store/rocksdb/expiry_filter.h"
#include "store/rocksdb/rocks_settings.h"

namespace petrel::store {

using BlockCache = std::shared_ptr<rocksdb::Cache>;

// What is read is kept here, and what is written counts in it.
BlockCache make_block_cache(const RocksSettings& settings);

rocksdb::DBOptions make_db_options(const RocksSettings& settings, const Clock& clock,
                                   const BlockCache& cache);

// One for each family, in the order of `Family`.
std::vector<rocksdb::ColumnFamilyDescriptor> make_families(const RocksSettings& settings,
                                                           const Clock& clock,
                                                           const BlockCache& cache);

}  // namespace petrel::store
