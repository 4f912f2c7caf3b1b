#include "faulty_file.h"

#include <span>

namespace petrel::store {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

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

class FaultySequentialFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultySequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file, FaultyDisk& disk)
      : FSSequentialFileOwnerWrapper(std::move(file)), disk_(disk) {}

  IOStatus Read(std::size_t count, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    const IOStatus read = target()->Read(count, options, result, scratch, debug);
    return read.ok() ? disk_.after_read(*result, scratch) : read;
  }

 private:
  FaultyDisk& disk_;
};

class FaultyRandomAccessFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultyRandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultyDisk& disk)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), disk_(disk) {}

  IOStatus Read(std::uint64_t offset, std::size_t count, const IOOptions& options, Slice* result,
                char* scratch, IODebugContext* debug) const override {
    const IOStatus read = target()->Read(offset, count, options, result, scratch, debug);
    return read.ok() ? disk_.after_read(*result, scratch) : read;
  }

  IOStatus MultiRead(rocksdb::FSReadRequest* requests, std::size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    for (rocksdb::FSReadRequest& request : std::span(requests, count)) {
      request.status =
          Read(request.offset, request.len, options, &request.result, request.scratch, debug);
    }
    return IOStatus::OK();
  }

 private:
  FaultyDisk& disk_;
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

}  // namespace

std::unique_ptr<rocksdb::FSWritableFile> faulty(std::unique_ptr<rocksdb::FSWritableFile> file,
                                                FaultyDisk& disk, std::string path) {
  return std::make_unique<FaultyFile>(std::move(file), disk, std::move(path));
}

std::unique_ptr<rocksdb::FSSequentialFile> faulty(std::unique_ptr<rocksdb::FSSequentialFile> file,
                                                  FaultyDisk& disk) {
  return std::make_unique<FaultySequentialFile>(std::move(file), disk);
}

std::unique_ptr<rocksdb::FSRandomAccessFile> faulty(
    std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultyDisk& disk) {
  return std::make_unique<FaultyRandomAccessFile>(std::move(file), disk);
}

std::unique_ptr<rocksdb::FSDirectory> faulty(std::unique_ptr<rocksdb::FSDirectory> folder,
                                             FaultyDisk& disk, std::string path) {
  return std::make_unique<FaultyFolder>(std::move(folder), disk, std::move(path));
}

}  // namespace petrel::store
