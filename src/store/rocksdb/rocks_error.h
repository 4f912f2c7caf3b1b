// What RocksDB says, in Petrel's kinds of error and in words that an operator can act on.
//
// Thread: any.

#pragma once

#include <rocksdb/status.h>

#include "base/result.h"

namespace petrel::store {

// REQUIRES: !status.ok().
Error to_error(const rocksdb::Status& status);

// The same for a store that could not be opened at `path`.
Error to_open_error(const rocksdb::Status& status, const std::string& path);

}  // namespace petrel::store
