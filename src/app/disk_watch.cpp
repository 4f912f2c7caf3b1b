#include "app/disk_watch.h"

#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"

namespace petrel::app {

DiskLevel level_of(std::uint64_t bytes, std::uint64_t bytes_max) {
  if (bytes_max == 0) return DiskLevel::Fine;
  if (bytes >= bytes_max) return DiskLevel::Full;
  return bytes >= bytes_max - bytes_max / 10 ? DiskLevel::Scarce : DiskLevel::Fine;
}

DiskUse disk_use(const std::string& folder) {
  namespace fs = std::filesystem;
  DiskUse use;
  std::set<ino_t> linked;  // Of files with several names, as those have that a backup is made of.
  std::vector<fs::path> folders{folder};
  std::error_code failed;
  while (!folders.empty()) {
    const fs::path next = std::move(folders.back());
    folders.pop_back();
    failed.clear();  // A folder that is gone, or not ours to read, has nothing of ours.
    for (fs::directory_iterator entry(next, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      struct stat found = {};
      if (::lstat(entry->path().c_str(), &found) != 0) continue;
      if (S_ISDIR(found.st_mode)) folders.push_back(entry->path());
      if (!S_ISREG(found.st_mode)) continue;
      if (found.st_nlink > 1 && !linked.insert(found.st_ino).second) continue;
      const fs::path kind = entry->path().extension();
      (kind == ".sst"   ? use.table_bytes
       : kind == ".log" ? use.log_bytes
                        : use.other_bytes) += static_cast<std::uint64_t>(found.st_size);
    }
  }
  const fs::space_info space = fs::space(folder, failed);
  if (!failed) use.free_bytes = space.available;
  return use;
}

DiskWatch::DiskWatch(Parts parts)
    : parts_(std::move(parts)),
      bytes_gauge_(parts_.registry.gauge("petrel_store_bytes", "Bytes that the store takes.")),
      full_gauge_(parts_.registry.gauge(
          "petrel_disk_full",
          "1 while messages are refused because the store has disk-max bytes.")),
      files_(parts_.registry.gauges("petrel_store_files_bytes",
                                    "Bytes that the store takes, by kind of file.", {"kind"})),
      free_(parts_.registry.gauge("petrel_disk_free_bytes",
                                  "Bytes that the disk of the store has left.")),
      timer_(parts_.loop.make_timer()) {
  for (const char* const kind : {"tables", "log", "other"}) files_.with({kind});
  parts_.registry.gauge("petrel_disk_max_bytes", "Bytes that the store may take; 0: no limit.")
      .set(static_cast<std::int64_t>(parts_.bytes_max));
  look();
}

void DiskWatch::look() {
  // If there is no thread for it now, it is measured the next time.
  const bool is_taken = parts_.pool.run(
      [this] { parts_.loop.post([this, use = parts_.measure()] { measured(use); }); });
  if (!is_taken) timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
}

void DiskWatch::measured(const DiskUse& use) {
  files_.with({"tables"}).set(static_cast<std::int64_t>(use.table_bytes));
  files_.with({"log"}).set(static_cast<std::int64_t>(use.log_bytes));
  files_.with({"other"}).set(static_cast<std::int64_t>(use.other_bytes));
  free_.set(static_cast<std::int64_t>(use.free_bytes));
  const std::uint64_t bytes = use.store_bytes();
  bytes_ = bytes;
  bytes_gauge_.set(static_cast<std::int64_t>(bytes));
  const DiskLevel before = level_;
  level_ = level_of(bytes, parts_.bytes_max);
  full_gauge_.set(level_ == DiskLevel::Full ? 1 : 0);
  if (level_ != before) {
    parts_.complain(level_ == DiskLevel::Fine
                        ? fmt::format("the store takes {}: less than 90 % of disk-max again",
                                      to_rounded_byte_text(bytes))
                        : problems().front());
  }
  timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
}

std::vector<std::string> DiskWatch::problems() const {
  const DiskLevel level = level_;
  if (level == DiskLevel::Fine) return {};
  const std::string state =
      fmt::format("the store takes {} of disk-max, {}", to_rounded_byte_text(bytes_),
                  to_rounded_byte_text(parts_.bytes_max));
  if (level == DiskLevel::Scarce) {
    return {state + ": at 100 % no more messages are taken; shorten retention or raise disk-max"};
  }
  return {state +
          ": no messages are taken until it takes less, deliveries go on; shorten retention or "
          "raise disk-max"};
}

Status DiskWatch::may_accept() const {
  if (level_ != DiskLevel::Full) return Done{};
  return unavailable("the server keeps as much as it may: try again later");
}

}  // namespace petrel::app
