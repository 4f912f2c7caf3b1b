// Committer is the thread that writes. It takes everything that has gathered while it wrote the
// last batch and writes it in one, with one sync; then it answers them all. So the more there is to
// do, the more one sync is shared by.
//
// If a write fails nobody knows what reached the disk: all of the batch is Unavailable. From then
// on it refuses everything, and the store stays open for reading. Every now and then it tries the
// disk; when that is well, it closes the store and opens it, which reads back what is on disk,
// shows with a small write of its own that it takes writes, and goes on by itself. It never lets
// RocksDB go on with files in which a write has failed.
//
// If the fault is damage, which background work met, the store is opened again without background
// work: a file that cannot be merged must not keep others from being written.
//
// Thread: safe. `store` is the thread that it runs.

#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "store/rocksdb/commit_queue.h"
#include "store/rocksdb/database_slot.h"
#include "store/rocksdb/rocks_settings.h"
#include "store/rocksdb/tallies.h"

namespace petrel::store {

class Committer {
 public:
  struct Parts {
    DatabaseSlot& slot;
    TallyView& tallies;   // Told of what is committed.
    TallyTotals& totals;  // Likewise.
    const Clock& clock;
  };

  Committer(const Parts& parts, const RocksSettings& settings);
  ~Committer();

  // Answered on the thread `store`, or here and now if there is no room for it.
  void submit(std::unique_ptr<Work> work);

  // Writes what is waiting, and returns when the thread has ended. Legal twice.
  void stop();

 private:
  void run();
  void commit(Works works);
  enum class Proof : std::uint8_t { None, Wanted };
  Result<Sequence> write(Works& works, Proof proof);
  void report(const Works& works, Duration duration) const;
  Status revive();
  void break_down(const Error& error);

  DatabaseSlot& slot_;
  RocksSettings settings_;  // The thread `store` switches compaction off in it.
  const Clock& clock_;
  CommitQueue queue_;

  // Of the thread `store` alone.
  Tallies tallies_;
  std::optional<Error> fault_;  // Why nothing is written at present.
  MonoTime retry_at_;

  std::thread thread_;
};

}  // namespace petrel::store
