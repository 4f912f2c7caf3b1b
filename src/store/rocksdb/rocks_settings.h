// What can be set about the embedded store.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "store/condition.h"
#include "store/rocksdb/commit_report.h"

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

  // The longest that the server keeps anything: so long records of what was deleted stay, and tasks
  // that have ended. What is kept of messages is up to purge().
  Duration retention = std::chrono::days(90);

  // Nothing is dropped or forgotten, whatever the retention says: for commands that look at a store
  // or copy it. Only a server's own retention drops anything.
  bool keeps_everything = false;

  // Nothing at all is written, and a store of an older format is not brought up to date.
  bool is_read_only = false;

  // Whether files are merged in the background. Switched off by the store itself once damage is met
  // there, so that everything else can go on.
  bool is_compacting = true;

  // Goes on without what a log held that is missing or cut, and without revoked tokens that cannot
  // be read. Only if the operator says so.
  bool accepts_loss = false;

  // Told of damage, and of writes that fail.
  ConditionBoard::Listeners listeners = {};

  // Where the store notes its condition. Its own, shared with its database and that one's threads.
  std::shared_ptr<ConditionBoard> board = nullptr;

  // How long to leave a disk alone that has failed or is full before trying it again.
  Duration retry_pause = std::chrono::seconds(1);

  // Told on the store's own thread whenever it was closed and opened again after a fault: what was
  // answered as Unavailable may be there after all, and nobody was nudged. May be empty.
  std::function<void()> on_revived = {};

  // Told on the store's own thread of every commit, once it is on disk. May be empty.
  std::function<void(const CommitReport&)> on_commit = {};

  // Never false but in a test that wants to see what is then lost.
  bool is_sync = true;

  // What lies under RocksDB; null for the machine's own files.
  rocksdb::Env* env = nullptr;
};

}  // namespace petrel::store
