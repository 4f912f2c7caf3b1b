// FaultyDisk is a file system for RocksDB that remembers what was synced, so that a test can cut
// the power: what was not synced is then gone, or torn at any byte.
//
//   disk.cut_after(40);     the 40th write or sync from now on, and all after it, fail
//   …
//   store.reset();          the process is dead
//   disk.restart(random);   what was not synced is dropped; the machine is up again
//
// It can also fail syncs and be full, until told otherwise. A sync that fails loses the bytes that
// it was for, as Linux does: a later sync of the same file succeeds and does not bring them back.
// What RocksDB logs about itself lies on it too.
//
// Real files lie under it; nothing is really synced, so it is fast. Renames and deletions are taken
// to be durable at once; new files only once their folder was synced.
//
// Thread: safe.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "base/random.h"

namespace petrel::store {

class FaultyDisk final : public rocksdb::FileSystemWrapper {
 public:
  FaultyDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "FaultyDisk"; }

  void cut_after(std::uint64_t operations);
  bool is_cut() const;
  void restart(Random& random);

  void fail_syncs(bool fails);
  void be_full(bool is_full);

  // Fails every sync of a log that another has followed, if it has bytes left to sync. It lets them
  // wait first, so that whoever else wants to sync that log gets in line behind it.
  void fail_late_syncs();

  // Logs of commits that were begun so far.
  std::uint64_t logs() const;

  // Writes and syncs so far.
  std::uint64_t operations() const;

  // What its files ask.
  rocksdb::IOStatus before_append(const std::string& path, std::size_t size, std::size_t& fits);
  rocksdb::IOStatus sync(const std::string& path);
  rocksdb::IOStatus sync_folder(const std::string& path);
  void truncate(const std::string& path, std::uint64_t size);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewLogger(const std::string& path, const rocksdb::IOOptions& options,
                              std::shared_ptr<rocksdb::Logger>* result,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 std::uint64_t* bytes, rocksdb::IODebugContext* debug) override;

 private:
  struct File {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;                                   // Up to here it survives,
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;  // but for these ranges.
    bool is_in_folder = false;  // Its folder was synced since it was made.
  };

  // Counts one, and says whether the power is on. REQUIRES: mutex_ is held.
  bool is_on();

  bool is_late(const std::string& path) const;

  rocksdb::IOStatus open(rocksdb::IOStatus opened, const std::string& path, std::uint64_t size,
                         std::unique_ptr<rocksdb::FSWritableFile>* result);

  mutable std::mutex mutex_;
  std::map<std::string, File> files_;  // Those that were written to since the last restart.
  std::optional<std::uint64_t> left_;  // Operations until the power goes.
  std::uint64_t operations_ = 0;
  std::uint64_t logs_ = 0;
  std::string log_;  // The last one.
  bool fails_syncs_ = false;
  bool fails_late_syncs_ = false;
  bool is_full_ = false;
};

}  // namespace petrel::store
