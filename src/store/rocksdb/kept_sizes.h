// How much is kept of each application: see tally_key.h for where its numbers stand.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>

#include "base/id.h"
#include "base/result.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

// Of the payload that is stored; empty if it is gone. Reads all of it.
Result<std::optional<std::uint64_t>> read_payload_bytes(Database& database, MessageId message);

// Counts all that is kept, and has messages that brought a period for their payload looked at then:
// for a store of a format that did neither.
Status count_kept(Database& database);

}  // namespace petrel::store
