#include "faulty_disk.h"

#include <filesystem>
#include <fstream>
#include <future>

namespace petrel::store {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus no_power() { return IOStatus::IOError("the power is off (FaultyDisk)"); }

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, FaultyDisk& disk, std::string path)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), path_(std::move(path)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    std::size_t fits = data.size();
    IOStatus status = disk_.before_append(path_, data.size(), fits);
    if (fits > 0) {
      const IOStatus written = target()->Append(Slice(data.data(), fits), options, debug);
      if (!written.ok()) return written;
    }
    return status;
  }

  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*checksums*/,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    disk_.truncate(path_, size);
    return target()->Truncate(size, options, debug);
  }

  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    return disk_.sync(path_);
  }
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    return disk_.sync(path_);
  }
  IOStatus RangeSync(std::uint64_t /*offset*/, std::uint64_t /*size*/, const IOOptions& /*options*/,
                     IODebugContext* /*debug*/) override {
    return IOStatus::OK();
  }

 private:
  FaultyDisk& disk_;
  std::string path_;
};

class FaultyFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyFolder(std::unique_ptr<rocksdb::FSDirectory> folder, FaultyDisk& disk, std::string path)
      : FSDirectoryWrapper(std::move(folder)), disk_(disk), path_(std::move(path)) {}

  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    return disk_.sync_folder(path_);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& /*options*/, IODebugContext* /*debug*/,
                               const rocksdb::DirFsyncOptions& /*reason*/) override {
    return disk_.sync_folder(path_);
  }

 private:
  FaultyDisk& disk_;
  std::string path_;
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

bool FaultyDisk::is_cut() const {
  const std::lock_guard lock(mutex_);
  return left_ && *left_ == 0;
}

void FaultyDisk::fail_syncs(bool fails) {
  const std::lock_guard lock(mutex_);
  fails_syncs_ = fails;
}

void FaultyDisk::be_full(bool is_full) {
  const std::lock_guard lock(mutex_);
  is_full_ = is_full;
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

bool FaultyDisk::is_on() {
  ++operations_;
  if (!left_) return true;
  if (*left_ > 0) --*left_;
  return *left_ > 0;
}

IOStatus FaultyDisk::before_append(const std::string& path, std::size_t size, std::size_t& fits) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) {
    fits = 0;
    return no_power();
  }
  if (is_full_) fits = size / 2;  // A full disk takes what still fits.
  files_[path].size += fits;
  if (!is_full_) return IOStatus::OK();
  IOStatus full = IOStatus::NoSpace("the disk is full (FaultyDisk)");
  full.SetRetryable(true);
  return full;
}

// REQUIRES: mutex_ is held.
bool FaultyDisk::is_late(const std::string& path) const {
  if (!fails_late_syncs_ || !path.ends_with(".log") || path == log_) return false;
  const auto found = files_.find(path);
  return found != files_.end() && found->second.size > found->second.synced;
}

IOStatus FaultyDisk::sync(const std::string& path) {
  std::unique_lock lock(mutex_);
  if (!is_on()) return no_power();
  if (is_late(path)) {
    lock.unlock();
    std::promise<void>().get_future().wait_for(kGetsInLine);
    return IOStatus::IOError("the late sync failed (FaultyDisk)");
  }
  File& file = files_[path];
  if (fails_syncs_) {
    if (file.size > file.synced) file.lost.emplace_back(file.synced, file.size);
    return IOStatus::IOError("the sync failed (FaultyDisk)");
  }
  file.synced = file.size;
  return IOStatus::OK();
}

IOStatus FaultyDisk::sync_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) return no_power();
  if (fails_syncs_) return IOStatus::IOError("the sync failed (FaultyDisk)");
  for (auto& [name, file] : files_) {
    if (std::filesystem::path(name).parent_path() == path) file.is_in_folder = true;
  }
  return IOStatus::OK();
}

void FaultyDisk::truncate(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  file.size = size;
  file.synced = std::min(file.synced, size);
}

void FaultyDisk::restart(Random& random) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, file] : files_) {
    if (!std::filesystem::exists(name)) continue;
    if (!file.is_in_folder) {
      std::filesystem::remove(name);
      continue;
    }
    // What was not synced: nothing of it, all of it, or any part of its beginning.
    const std::uint64_t unsynced = file.size - file.synced;
    const std::uint64_t kept = random.below(3) == 0 ? 0 : random.below(unsynced + 1);
    std::filesystem::resize_file(name, file.synced + kept);
    std::fstream bytes(name, std::ios::in | std::ios::out | std::ios::binary);
    for (const auto& [begin, end] : file.lost) {
      for (std::uint64_t at = begin; at < std::min(end, file.synced + kept); ++at) {
        bytes.seekp(static_cast<std::streamoff>(at));
        bytes.put('\0');
      }
    }
  }
  files_.clear();
  left_.reset();
  fails_syncs_ = false;
  is_full_ = false;
}

IOStatus FaultyDisk::open(IOStatus opened, const std::string& path, std::uint64_t size,
                          std::unique_ptr<rocksdb::FSWritableFile>* result) {
  if (!opened.ok()) return opened;
  const bool is_new = size == 0;
  files_[path] = File{size, size, {}, !is_new};
  *result = std::make_unique<FaultyFile>(std::move(*result), *this, path);
  return IOStatus::OK();
}

IOStatus FaultyDisk::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* result,
                                     IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) return no_power();
  if (path.ends_with(".log")) {
    ++logs_;
    log_ = normal(path);
  }
  return open(target()->NewWritableFile(path, options, result, debug), normal(path), 0, result);
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
  if (!is_on()) return no_power();
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
  *result = std::make_unique<FaultyFolder>(std::move(*result), *this, normal(path));
  return IOStatus::OK();
}

IOStatus FaultyDisk::RenameFile(const std::string& from, const std::string& to,
                                const IOOptions& options, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) return no_power();
  const IOStatus renamed = target()->RenameFile(from, to, options, debug);
  const auto found = files_.find(normal(from));
  if (renamed.ok() && found != files_.end()) {
    found->second.is_in_folder = true;
    files_[normal(to)] = found->second;
    files_.erase(normal(from));
  }
  return renamed;
}

IOStatus FaultyDisk::DeleteFile(const std::string& path, const IOOptions& options,
                                IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) return no_power();
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

}  // namespace petrel::store
