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
// What RocksDB logs about itself lies on it too. And it can fail or falsify the nth of what it is
// asked to write or read, once or from then on.
//
// Of what was not synced when the power went a beginning is there, which ends at any byte. A disk
// that reorders has it otherwise too: all of it but for holes, or what came later without what came
// before. New files, renames and deletions are durable once their folder was synced; until then
// they may be undone.
//
// Real files lie under it; nothing is really synced, so it is fast.
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

// What a disk can do to a store.
enum class DiskFault : std::uint8_t {
  Tear,          // An unsynced write ends at any byte.
  Hole,          // Sectors of it are missing.
  Reorder,       // Its beginning is missing, its end is there.
  LostFile,      // A new file is gone,
  LostRename,    // a rename undone,
  LostDeletion,  // a deletion undone.
  FailedSync,
  Full,
  WriteFailsOnce,
  WritesFail,  // From then on.
  ReadFailsOnce,
  ReadsFail,
  BitFlip,  // In what is read, once.
};
inline constexpr std::size_t kDiskFaults = 13;

class FaultyDisk final : public rocksdb::FileSystemWrapper {
 public:
  FaultyDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "FaultyDisk"; }

  void cut_after(std::uint64_t operations);

  // The power goes when a log with unsynced bytes is next synced. RocksDB flushes and merges in the
  // background, so a count of operations may end anywhere; this is always amid a commit.
  void cut_at_log_sync();

  // The power goes right after the next rename, which is not durable yet.
  void cut_after_rename();

  bool is_cut() const;
  void restart(Random& random);

  // From now on what is not synced of a log reaches the disk in any order, as on file systems that
  // note a file's new size before its bytes are there. Only of logs: RocksDB takes a hole in the
  // end of its MANIFEST for damage and opens no more, whatever it is told.
  void reorder();

  // The nth write (or sync, new file, rename, deletion), or the nth read, from now on: the first is
  // 1. Only one is waited for at a time. FailedSync and Full hold at once.
  void arm(DiskFault fault, std::uint64_t nth);

  // The disk is well again: nothing fails any more. What was lost stays lost.
  void heal();

  // Everything that was written is durable from now on.
  void settle_down();

  // How often each fault has happened, on all disks of this process.
  static std::uint64_t reached(DiskFault fault);

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
  rocksdb::IOStatus after_read(rocksdb::Slice& result, char* scratch);

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override;
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
  };

  // A change of a folder that is not durable yet. What it took away is kept aside.
  struct Unsynced {
    DiskFault undone;  // What it is when it is undone.
    std::string from;  // Of a rename.
    std::string to;
    std::string saved;  // What `to` was; empty if there was nothing.
  };

  // Counts a write, and says whether it may happen. REQUIRES: mutex_ is held.
  rocksdb::IOStatus before_write();

  bool is_due(DiskFault once, DiskFault from_then_on);

  // Keeps what is at `path` aside, and says where; empty if there is nothing.
  std::string set_aside(const std::string& path);

  void lose_changes_of_folders(Random& random);
  void lose_parts(const std::string& path, const File& file, Random& random) const;

  bool is_unsynced_log(const std::string& path) const;

  rocksdb::IOStatus open(rocksdb::IOStatus opened, const std::string& path, std::uint64_t size,
                         std::unique_ptr<rocksdb::FSWritableFile>* result);

  mutable std::mutex mutex_;
  std::map<std::string, File> files_;  // Those that were written to since the last restart.
  std::optional<std::uint64_t> left_;  // Operations until the power goes.
  std::vector<Unsynced> unsynced_;     // In the order in which they happened.
  std::uint64_t asides_ = 0;
  std::optional<DiskFault> armed_;
  std::uint64_t armed_left_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t logs_ = 0;
  std::string log_;  // The last one.
  bool fails_syncs_ = false;
  bool cuts_at_log_sync_ = false;
  bool cuts_after_rename_ = false;
  bool fails_late_syncs_ = false;
  bool is_full_ = false;
  bool reorders_ = false;
};

// What lies under a RocksDB whose files are on the disk. After a failure RocksDB lets a second pass
// before it goes on; here that is a moment.
std::unique_ptr<rocksdb::Env> env_on(const std::shared_ptr<FaultyDisk>& disk);

}  // namespace petrel::store
