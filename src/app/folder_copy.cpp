#include "app/folder_copy.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "store/rocksdb/backup.h"

namespace petrel::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = 1024 * 1024;

// Secrets and payloads are in it.
constexpr mode_t kOwnerOnly = 0600;

constexpr double kMebibyte = 1024 * 1024;

Error cannot(std::string_view what, const fs::path& path, int code) {
  return unavailable(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(code)));
}

// A descriptor that is closed at the end, whatever happens.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Status write_all(const File& file, const fs::path& path, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file.get(), bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot("write", path, errno);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return Done{};
}

Result<std::vector<fs::path>> files_in(const fs::path& folder, std::uint64_t& bytes) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (!entry->is_regular_file(failed)) continue;
    bytes += entry->file_size(failed);
    if (failed) break;
    files.push_back(entry->path());
  }
  if (failed) return cannot("read", folder, failed.value());
  return files;
}

}  // namespace

Result<FolderCopy> FolderCopy::begin(const fs::path& to) {
  std::error_code failed;
  if (fs::exists(to, failed)) return conflict("the folder is there already: " + to.string());
  FolderCopy copy(to);
  // What one that was cut short has left.
  fs::remove_all(copy.partial_, failed);
  fs::create_directories(copy.partial_, failed);
  if (failed) return cannot("make", copy.partial_, failed.value());
  return copy;
}

FolderCopy::FolderCopy(fs::path to) : to_(std::move(to)), partial_(to_.string() + ".partial") {}

FolderCopy::FolderCopy(FolderCopy&& other) noexcept
    : to_(std::move(other.to_)),
      partial_(std::exchange(other.partial_, {})),
      report_(other.report_) {}

FolderCopy::~FolderCopy() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

Status FolderCopy::add_folder(const fs::path& from, const Progress& progress) {
  std::uint64_t total = 0;
  ASSIGN_OR_RETURN(const std::vector<fs::path> files, files_in(from, total));
  std::error_code failed;
  const fs::space_info space = fs::space(partial_, failed);
  if (!failed && space.available < total) {
    return unavailable(fmt::format(
        "{} has {:.1f} MiB free, and the copy needs {:.1f} MiB", to_.parent_path().string(),
        static_cast<double>(space.available) / kMebibyte, static_cast<double>(total) / kMebibyte));
  }
  std::uint64_t done = 0;
  for (const fs::path& file : files) {
    TRY(copy(file, [&](std::uint64_t bytes) {
      done += bytes;
      progress(done, total);
    }));
  }
  return Done{};
}

Status FolderCopy::add_file(const fs::path& from) {
  std::error_code failed;
  if (!fs::exists(from, failed)) return Done{};
  return copy(from, [](std::uint64_t) {});
}

Status FolderCopy::copy(const fs::path& from, const std::function<void(std::uint64_t)>& copied) {
  const fs::path to = partial_ / from.filename();
  const File source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) return cannot("read", from, errno);
  const File target(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly));
  if (target.get() < 0) return cannot("write", to, errno);
  std::vector<char> block(kBlockBytes);
  while (true) {
    const ssize_t size = ::read(source.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return cannot("read", from, errno);
    if (size == 0) break;
    TRY(write_all(target, to, block.data(), static_cast<std::size_t>(size)));
    report_.bytes += static_cast<std::uint64_t>(size);
    copied(static_cast<std::uint64_t>(size));
  }
  if (::fsync(target.get()) != 0) return cannot("write", to, errno);
  ++report_.files;
  return Done{};
}

Result<FolderCopy::Report> FolderCopy::finish() {
  TRY(store::sync_to_disk(partial_));
  std::error_code failed;
  fs::rename(partial_, to_, failed);
  if (failed) return cannot("make", to_, failed.value());
  partial_.clear();
  TRY(store::sync_to_disk(fs::absolute(to_).parent_path()));
  return report_;
}

}  // namespace petrel::app
