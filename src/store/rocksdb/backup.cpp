#include "store/rocksdb/backup.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <rocksdb/utilities/checkpoint.h>
#include <unistd.h>

#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::store {
namespace {

namespace fs = std::filesystem;

Error file_error(const fs::path& path, const std::error_code& code) {
  return unavailable("the backup failed at " + path.string() + ": " + code.message());
}

Status copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to, failed);
  if (failed) return file_error(to, failed);
  for (fs::directory_iterator entry(from, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path target = to / entry->path().filename();
    fs::copy_file(entry->path(), target, failed);
    if (failed) return file_error(target, failed);
    if (Status status = sync_to_disk(target); !status.ok()) return status;
  }
  if (failed) return file_error(from, failed);
  return sync_to_disk(to);
}

Result<BackupReport> checkpoint_of(rocksdb::DB& db, const std::string& to) {
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(&db, &made);
  if (!status.ok()) return to_error(status);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  status = checkpoint->CreateCheckpoint(to);
  if (status.IsInvalidArgument()) return conflict("the folder is there already: " + to);
  if (!status.ok()) return to_error(status);
  return report_on(to);
}

}  // namespace

Status sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(path, {errno, std::generic_category()});
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failed != 0) return file_error(path, {failed, std::generic_category()});
  return Done{};
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  std::error_code failed;
  const fs::path from = fs::weakly_canonical(fs::absolute(outer, failed), failed);
  const fs::path to = fs::weakly_canonical(fs::absolute(inner, failed), failed);
  if (failed) return false;
  const auto [rest, ignored] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  return rest == from.end();
}

Result<BackupReport> report_on(const fs::path& folder) {
  BackupReport report;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (!entry->is_regular_file(failed)) continue;
    const std::uintmax_t bytes = entry->file_size(failed);
    if (failed) break;
    ++report.files;
    report.bytes += bytes;
    if (entry->hard_link_count(failed) > 1) ++report.links;
  }
  if (failed) return file_error(folder, failed);
  return report;
}

void clear_staging(const std::string& store) {
  std::error_code ignored;
  fs::remove_all(fs::path(store) / kStagingName, ignored);
  // What RocksDB calls it while it is being made.
  fs::remove_all(fs::path(store) / (std::string(kStagingName) + ".tmp"), ignored);
}

Result<BackupReport> RocksStore::checkpoint(const std::string& to) {
  const auto database = share();
  if (!database.ok()) return database.error();
  if (is_within(to, (*database)->db().GetName())) {
    return invalid("DIR", "must not be in the store's own folder");
  }
  return checkpoint_of((*database)->db(), to);
}

Result<BackupReport> RocksStore::stage() {
  const auto database = share();
  if (!database.ok()) return database.error();
  const std::string store = (*database)->db().GetName();
  clear_staging(store);
  return checkpoint_of((*database)->db(), (fs::path(store) / kStagingName).string());
}

Result<std::vector<FamilySize>> RocksStore::sizes() {
  const auto database = share();
  if (!database.ok()) return database.error();
  std::vector<FamilySize> sizes;
  for (std::size_t i = 0; i < kFamilyNames.size(); ++i) {
    rocksdb::ColumnFamilyHandle* family = (*database)->family(static_cast<Family>(i));
    FamilySize size{kFamilyNames[i], 0, 0};
    std::uint64_t in_memory = 0;
    rocksdb::DB& db = (*database)->db();
    db.GetIntProperty(family, rocksdb::DB::Properties::kTotalSstFilesSize, &size.bytes);
    db.GetIntProperty(family, rocksdb::DB::Properties::kCurSizeActiveMemTable, &in_memory);
    db.GetIntProperty(family, rocksdb::DB::Properties::kEstimateNumKeys, &size.keys);
    size.bytes += in_memory;
    sizes.push_back(size);
  }
  return sizes;
}

Status RocksStore::compact() {
  const auto database = share();
  if (!database.ok()) return database.error();
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  for (std::size_t i = 0; i < kFamilyNames.size(); ++i) {
    const rocksdb::Status status = (*database)->db().CompactRange(
        options, (*database)->family(static_cast<Family>(i)), nullptr, nullptr);
    if (!status.ok()) return to_error(status);
  }
  return Done{};
}

Status restore(const std::string& from, const std::string& to, const Clock& clock) {
  std::error_code failed;
  if (!fs::exists(fs::path(from) / "CURRENT", failed)) {
    return not_found("there is no backup in " + from);
  }
  if (fs::exists(to, failed) && !fs::is_empty(to, failed)) {
    return conflict("the folder is there already and is not empty: " + to);
  }
  const fs::path partial = fs::path(to).concat(".partial");
  fs::remove_all(partial, failed);
  if (failed) return file_error(partial, failed);
  if (Status status = copy_folder(from, partial); !status.ok()) return status;

  // The copy is opened, not the backup: that stays as it is.
  RocksSettings settings;
  settings.path = partial.string();
  settings.keeps_everything = true;
  Result<std::unique_ptr<Database>> opened = Database::open(settings, clock);
  if (!opened.ok()) return opened.error();
  const rocksdb::Status whole = (*opened)->db().VerifyChecksum();
  (*opened).reset();
  if (!whole.ok()) {
    fs::remove_all(partial, failed);
    return corrupt("the backup in " + from + " is damaged: " + whole.ToString());
  }

  fs::remove(to, failed);
  fs::rename(partial, to, failed);
  if (failed) return file_error(to, failed);
  return sync_to_disk(fs::absolute(to).parent_path());
}

}  // namespace petrel::store
