#include "faulty_disk.h"

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include <rocksdb/system_clock.h>

#include "faulty_file.h"

namespace petrel::store {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus no_power() { return IOStatus::IOError("the power is off (FaultyDisk)"); }

std::array<std::atomic<std::uint64_t>, kDiskFaults> reached_faults;

void reach(DiskFault fault) { ++reached_faults.at(static_cast<std::size_t>(fault)); }

// Of logs; each kind of loss has its turn.
std::atomic<std::uint64_t> losses;

// What a disk writes whole or not at all.
constexpr std::uint64_t kSector = 512;

void blank(std::fstream& bytes, std::uint64_t begin, std::uint64_t end) {
  bytes.seekp(static_cast<std::streamoff>(begin));
  for (std::uint64_t at = begin; at < end; ++at) bytes.put('\0');
}

class QuickClock final : public rocksdb::SystemClockWrapper {
 public:
  QuickClock() : SystemClockWrapper(SystemClock::Default()) {}

  const char* Name() const override { return "QuickClock"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, 1000));
  }
};

class QuickEnv final : public rocksdb::EnvWrapper {
 public:
  explicit QuickEnv(std::unique_ptr<rocksdb::Env> env) : EnvWrapper(std::move(env)) {
    system_clock_ = std::make_shared<QuickClock>();
  }

  const char* Name() const override { return "QuickEnv"; }
};

// How long a thread of RocksDB takes at most from where we see it to where it waits for another.
constexpr auto kGetsInLine = std::chrono::milliseconds(200);

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

void FaultyDisk::cut_after(std::uint64_t operations) {
  const std::lock_guard lock(mutex_);
  left_ = operations;
}

void FaultyDisk::cut_at_log_sync() {
  const std::lock_guard lock(mutex_);
  cuts_at_log_sync_ = true;
}

void FaultyDisk::cut_after_rename() {
  const std::lock_guard lock(mutex_);
  cuts_after_rename_ = true;
}

bool FaultyDisk::is_cut() const {
  const std::lock_guard lock(mutex_);
  return left_ && *left_ == 0;
}

void FaultyDisk::reorder() {
  const std::lock_guard lock(mutex_);
  reorders_ = true;
}

void FaultyDisk::arm(DiskFault fault, std::uint64_t nth) {
  const std::lock_guard lock(mutex_);
  armed_ = fault;
  armed_left_ = nth;
  fails_syncs_ = fault == DiskFault::FailedSync;
  is_full_ = fault == DiskFault::Full;
}

void FaultyDisk::settle_down() {
  const std::lock_guard lock(mutex_);
  files_.clear();
  for (const Unsynced& change : unsynced_) {
    if (!change.saved.empty()) std::filesystem::remove(change.saved);
  }
  unsynced_.clear();
}

void FaultyDisk::heal() {
  const std::lock_guard lock(mutex_);
  armed_.reset();
  fails_syncs_ = false;
  is_full_ = false;
}

std::uint64_t FaultyDisk::reached(DiskFault fault) {
  return reached_faults.at(static_cast<std::size_t>(fault));
}

void FaultyDisk::fail_late_syncs() {
  const std::lock_guard lock(mutex_);
  fails_late_syncs_ = true;
}

std::uint64_t FaultyDisk::logs() const {
  const std::lock_guard lock(mutex_);
  return logs_;
}

std::uint64_t FaultyDisk::operations() const {
  const std::lock_guard lock(mutex_);
  return operations_;
}

// REQUIRES: mutex_ is held.
bool FaultyDisk::is_due(DiskFault once, DiskFault from_then_on) {
  if (!armed_ || (*armed_ != once && *armed_ != from_then_on)) return false;
  if (armed_left_ > 1) {
    --armed_left_;
    return false;
  }
  reach(*armed_);
  if (*armed_ == once) armed_.reset();
  return true;
}

IOStatus FaultyDisk::before_write() {
  ++operations_;
  if (left_ && *left_ > 0) --*left_;
  if (left_ && *left_ == 0) return no_power();
  if (is_due(DiskFault::WriteFailsOnce, DiskFault::WritesFail)) {
    return IOStatus::IOError("the write failed (FaultyDisk)");
  }
  return IOStatus::OK();
}

IOStatus FaultyDisk::after_read(Slice& result, char* scratch) {
  const std::lock_guard lock(mutex_);
  if (is_due(DiskFault::ReadFailsOnce, DiskFault::ReadsFail)) {
    return IOStatus::IOError("the read failed (FaultyDisk)");
  }
  if (!result.empty() && is_due(DiskFault::BitFlip, DiskFault::BitFlip)) {
    if (result.data() != scratch) std::memmove(scratch, result.data(), result.size());
    scratch[result.size() / 2] = static_cast<char>(scratch[result.size() / 2] ^ 0x10);
    result = Slice(scratch, result.size());
  }
  return IOStatus::OK();
}

IOStatus FaultyDisk::before_append(const std::string& path, std::size_t size, std::size_t& fits) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) {
    fits = 0;
    return status;
  }
  if (is_full_) fits = size / 2;  // A full disk takes what still fits.
  files_[path].size += fits;
  if (!is_full_) return IOStatus::OK();
  reach(DiskFault::Full);
  IOStatus full = IOStatus::NoSpace("the disk is full (FaultyDisk)");
  full.SetRetryable(true);
  return full;
}

// REQUIRES: mutex_ is held.
bool FaultyDisk::is_unsynced_log(const std::string& path) const {
  const auto found = files_.find(path);
  return path.ends_with(".log") && found != files_.end() &&
         found->second.size > found->second.synced;
}

IOStatus FaultyDisk::sync(const std::string& path) {
  std::unique_lock lock(mutex_);
  if (cuts_at_log_sync_ && is_unsynced_log(path)) left_ = 0;
  if (IOStatus status = before_write(); !status.ok()) return status;
  if (fails_late_syncs_ && path != log_ && is_unsynced_log(path)) {
    lock.unlock();
    std::promise<void>().get_future().wait_for(kGetsInLine);
    return IOStatus::IOError("the late sync failed (FaultyDisk)");
  }
  File& file = files_[path];
  if (fails_syncs_) {
    reach(DiskFault::FailedSync);
    if (file.size > file.synced) file.lost.emplace_back(file.synced, file.size);
    return IOStatus::IOError("the sync failed (FaultyDisk)");
  }
  file.synced = file.size;
  return IOStatus::OK();
}

IOStatus FaultyDisk::sync_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) return status;
  if (fails_syncs_) return IOStatus::IOError("the sync failed (FaultyDisk)");
  std::erase_if(unsynced_, [&](const Unsynced& change) {
    if (std::filesystem::path(change.to).parent_path() != path) return false;
    if (!change.saved.empty()) std::filesystem::remove(change.saved);
    return true;
  });
  return IOStatus::OK();
}

void FaultyDisk::truncate(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  file.size = size;
  file.synced = std::min(file.synced, size);
}

std::string FaultyDisk::set_aside(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::string saved = folder.string() + ".aside-" + std::to_string(++asides_);
  std::filesystem::create_hard_link(path, saved);
  return saved;
}

void FaultyDisk::lose_changes_of_folders(Random& random) {
  // The last ones, as many as it may be: a folder's changes become durable in their order.
  const std::size_t kept = unsynced_.size() - random.below(unsynced_.size() + 1);
  for (; !unsynced_.empty(); unsynced_.pop_back()) {
    const Unsynced& change = unsynced_.back();
    if (unsynced_.size() <= kept) {
      if (!change.saved.empty()) std::filesystem::remove(change.saved);
      continue;
    }
    reach(change.undone);
    if (change.undone == DiskFault::LostFile) std::filesystem::remove(change.to);
    if (change.undone == DiskFault::LostRename) {
      std::filesystem::rename(change.to, change.from);
      if (auto file = files_.extract(change.to)) {
        file.key() = change.from;
        files_.insert(std::move(file));
      }
    }
    if (!change.saved.empty()) std::filesystem::rename(change.saved, change.to);
  }
}

void FaultyDisk::lose_parts(const std::string& path, const File& file, Random& random) const {
  const std::uint64_t unsynced = file.size - file.synced;
  if (unsynced == 0 && file.lost.empty()) return;
  const bool may_reorder = reorders_ && unsynced > 0 && path.ends_with(".log");
  std::uint64_t kept = file.size;
  std::fstream bytes;
  const auto open = [&] { bytes.open(path, std::ios::in | std::ios::out | std::ios::binary); };
  switch (may_reorder ? ++losses % 4 : random.below(2)) {
    case 0:  // Nothing of it.
      kept = file.synced;
      break;
    case 1:
      reach(DiskFault::Tear);
      kept = file.synced + random.below(unsynced + 1);
      break;
    case 2:
      reach(DiskFault::Hole);
      open();
      for (std::uint64_t at = file.synced; at < file.size; at += kSector) {
        if (random.below(2) == 0) blank(bytes, at, std::min(at + kSector, file.size));
      }
      break;
    default:
      reach(DiskFault::Reorder);
      open();
      blank(bytes, file.synced, file.synced + random.below(unsynced));
  }
  bytes.close();
  std::filesystem::resize_file(path, kept);
  open();
  for (const auto& [begin, end] : file.lost) blank(bytes, begin, std::min(end, kept));
}

void FaultyDisk::restart(Random& random) {
  const std::lock_guard lock(mutex_);
  lose_changes_of_folders(random);
  for (const auto& [name, file] : files_) {
    if (std::filesystem::exists(name)) lose_parts(name, file, random);
  }
  files_.clear();
  left_.reset();
  cuts_at_log_sync_ = false;
  cuts_after_rename_ = false;
  armed_.reset();
  fails_syncs_ = false;
  is_full_ = false;
}

IOStatus FaultyDisk::open(IOStatus opened, const std::string& path, std::uint64_t size,
                          std::unique_ptr<rocksdb::FSWritableFile>* result) {
  if (!opened.ok()) return opened;
  if (size == 0) unsynced_.push_back({DiskFault::LostFile, {}, path, {}});
  files_[path] = File{size, size, {}};
  *result = faulty(std::move(*result), *this, path);
  return IOStatus::OK();
}

IOStatus FaultyDisk::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* result,
                                     IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) return status;
  if (path.ends_with(".log")) {
    ++logs_;
    log_ = normal(path);
  }
  return open(target()->NewWritableFile(path, options, result, debug), normal(path), 0, result);
}

IOStatus FaultyDisk::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                       IODebugContext* debug) {
  const IOStatus opened = target()->NewSequentialFile(path, options, result, debug);
  if (opened.ok()) *result = faulty(std::move(*result), *this);
  return opened;
}

IOStatus FaultyDisk::NewRandomAccessFile(const std::string& path,
                                         const rocksdb::FileOptions& options,
                                         std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                         IODebugContext* debug) {
  const IOStatus opened = target()->NewRandomAccessFile(path, options, result, debug);
  if (opened.ok()) *result = faulty(std::move(*result), *this);
  return opened;
}

IOStatus FaultyDisk::NewLogger(const std::string& path, const IOOptions& options,
                               std::shared_ptr<rocksdb::Logger>* result, IODebugContext* debug) {
  return FileSystem::NewLogger(path, options, result, debug);
}

IOStatus FaultyDisk::ReopenWritableFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* result,
                                        IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) return status;
  std::uint64_t size = 0;
  if (std::filesystem::exists(path)) size = std::filesystem::file_size(path);
  return open(target()->ReopenWritableFile(path, options, result, debug), normal(path), size,
              result);
}

IOStatus FaultyDisk::NewDirectory(const std::string& path, const IOOptions& options,
                                  std::unique_ptr<rocksdb::FSDirectory>* result,
                                  IODebugContext* debug) {
  const IOStatus opened = target()->NewDirectory(path, options, result, debug);
  if (!opened.ok()) return opened;
  *result = faulty(std::move(*result), *this, normal(path));
  return IOStatus::OK();
}

IOStatus FaultyDisk::RenameFile(const std::string& from, const std::string& to,
                                const IOOptions& options, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) return status;
  unsynced_.push_back({DiskFault::LostRename, normal(from), normal(to), set_aside(normal(to))});
  const IOStatus renamed = target()->RenameFile(from, to, options, debug);
  if (!renamed.ok()) unsynced_.pop_back();
  if (renamed.ok() && cuts_after_rename_) left_ = 0;
  const auto found = files_.find(normal(from));
  if (renamed.ok() && found != files_.end()) {
    files_[normal(to)] = found->second;
    files_.erase(normal(from));
  }
  return renamed;
}

IOStatus FaultyDisk::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus status = before_write(); !status.ok()) return status;
  unsynced_.push_back({DiskFault::LostDeletion, {}, normal(path), set_aside(normal(path))});
  files_.erase(normal(path));
  return target()->DeleteFile(path, options, debug);
}

IOStatus FaultyDisk::GetFreeSpace(const std::string& path, const IOOptions& options,
                                  std::uint64_t* bytes, IODebugContext* debug) {
  const IOStatus asked = target()->GetFreeSpace(path, options, bytes, debug);
  const std::lock_guard lock(mutex_);
  if (asked.ok() && is_full_) *bytes = 0;
  return asked;
}

std::unique_ptr<rocksdb::Env> env_on(const std::shared_ptr<FaultyDisk>& disk) {
  return std::make_unique<QuickEnv>(rocksdb::NewCompositeEnv(disk));
}

}  // namespace petrel::store
