#include "store/rocksdb/disk_probe.h"

#include <rocksdb/env.h>

#include "store/rocksdb/rocks_error.h"

namespace petrel::store {

Status probe_disk(Database& database, const RocksSettings& settings) {
  rocksdb::Env& env = settings.env != nullptr ? *settings.env : *rocksdb::Env::Default();
  std::uint64_t in_memory = 0;
  database.db().GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &in_memory);
  // With little more than that, it would be full again after the next few commits, and closed and
  // opened over and over.
  const std::uint64_t needed = in_memory + settings.write_buffer_bytes / 4;
  std::uint64_t free = 0;
  const rocksdb::Status asked = env.GetFreeSpace(settings.path, &free);
  if (asked.ok() && free < needed) {
    return unavailable("the store's disk is full: " + std::to_string(free) + " bytes are free, " +
                       std::to_string(needed) + " are needed");
  }
  const std::string trial = settings.path + "/trial";
  rocksdb::Status written =
      rocksdb::WriteStringToFile(&env, std::string(4096, '\0'), trial, /*should_sync=*/true);
  if (written.ok()) written = env.DeleteFile(trial);
  if (!written.ok()) return unavailable(to_error(written).detail);
  return Done{};
}

}  // namespace petrel::store
