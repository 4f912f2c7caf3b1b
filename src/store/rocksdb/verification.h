// verify() reads a store from end to end and says what of it is damaged: each table file with its
// checksums, the logs, each record, and whether records that belong together agree.
//
//   every live delivery has its message, its payload and its place in the due index
//   every place in the due index has its record
//   every place among the dead letters has a record that agrees, or none: older formats
//   dropped the two at different times, as they did with the attempts of an endpoint
//
// It writes nothing. Where a table's block cannot be read, the rest of that family is not looked
// at; of a store that does not open, only the tables are.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/result.h"
#include "store/condition.h"
#include "store/rocksdb/rocks_settings.h"

namespace petrel::store {

struct Verification {
  std::uint64_t files = 0;
  std::uint64_t records = 0;
  std::uint64_t damaged = 0;
};

// Tells of each damage as it is found. An error if the store cannot be looked at: it is not there,
// or a newer Petrel wrote it. A store that does not open because it is damaged is a finding.
//
// REQUIRES: the settings have a vault, and no server has the store open.
Result<Verification> verify(const RocksSettings& settings, const Clock& clock,
                            std::function<void(const StoreDamage&)> tell);

}  // namespace petrel::store
