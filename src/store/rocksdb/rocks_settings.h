// What can be set about the embedded store.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"

namespace rocksdb {
class Env;
}
namespace petrel::vault {
class Vault;
}

namespace petrel::store {

struct RocksSettings {
  std::string path;  // The folder; made if it is not there.

  // Seals what is secret in it. Not null for a RocksStore; shared with whoever else seals.
  std::shared_ptr<const vault::Vault> vault = nullptr;

  // Memory: what is read is cached up to the first, what is written gathers up to the second.
  std::size_t cache_bytes = std::size_t{64} << 20U;
  std::size_t write_buffer_bytes = std::size_t{64} << 20U;

  int open_files_max = 512;

  // What may wait for the commit thread. Beyond either, a verb is Unavailable at once.
  std::size_t queue_items_max = 65'536;
  std::size_t queue_bytes_max = std::size_t{128} << 20U;

  // Loads that may wait for the reader threads.
  std::size_t loads_max = 65'536;
  std::size_t reader_threads = 2;

  // What has ended is kept for this long, counted from the making of its id. What is live stays,
  // however old it is.
  Duration retention = std::chrono::days(90);

  // How long to leave a disk alone that has failed or is full before trying it again.
  Duration retry_pause = std::chrono::seconds(1);

  // Told on the store's own thread whenever it was closed and opened again after a fault: what was
  // answered as Unavailable may be there after all, and nobody was nudged. May be empty.
  std::function<void()> on_revived = {};

  // Never false but in a test that wants to see what is then lost.
  bool is_sync = true;

  // What lies under RocksDB; null for the machine's own files.
  rocksdb::Env* env = nullptr;
};

}  // namespace petrel::store
