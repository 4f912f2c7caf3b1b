// RocksLog keeps what RocksDB says about itself: its warnings and errors, as lines of the file LOG
// in the store's folder. When that is full, it goes on as LOG.old and a new one begins.
//
// A line that cannot be written is lost, and that is all. RocksDB's own logger stops the process at
// the line that comes after such a one, which is how a full disk would end.
//
// Thread: safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rocksdb/env.h>

#include "base/clock.h"

namespace petrel::store {

struct RocksLogSettings {
  std::string folder;
  std::uintmax_t bytes_max = std::uintmax_t{4} << 20U;
};

std::shared_ptr<rocksdb::Logger> make_rocks_log(const RocksLogSettings& settings,
                                                const Clock& clock);

}  // namespace petrel::store
