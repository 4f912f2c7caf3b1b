// ExpiryFilter takes out small records that end by themselves while RocksDB merges its files, so
// that nobody has to walk over them.
//
//   idempotency, revoked   once it has expired
//   task                   once it has ended and its id is older than the retention
//   tally                  an hour's, after kHoursKept
//
// Messages and what belongs to them are not among these: purge() drops them, so that numbers stay
// in step with what they count.
//
// Thread: safe.

#pragma once

#include <memory>

#include <rocksdb/compaction_filter.h>

#include "base/clock.h"
#include "store/rocksdb/schema.h"

namespace petrel::store {

struct ExpirySettings {
  Family family;
  Duration retention;  // Of tasks.
};

// Null if the family keeps everything.
std::shared_ptr<rocksdb::CompactionFilterFactory> make_expiry(const ExpirySettings& settings,
                                                              const Clock& clock);

}  // namespace petrel::store
