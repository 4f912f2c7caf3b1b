#include "store/rocksdb/database.h"

#include <algorithm>
#include <filesystem>

#include <rocksdb/convenience.h>

#include "store/encoding.h"
#include "store/rocksdb/migrations.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/rocks_options.h"
#include "store/rocksdb/tally_journal.h"

namespace petrel::store {
namespace {

// A store with families that we do not know was written by a newer Petrel, and RocksDB would only
// say that we did not open them all.
Status check_families(const rocksdb::DBOptions& options, const std::string& path) {
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(options, path, &names);
  if (!listed.ok()) return Done{};  // An empty folder; anything worse shows when it is opened.
  for (const std::string& name : names) {
    if (std::find(kFamilyNames.begin(), kFamilyNames.end(), name) == kFamilyNames.end()) {
      return conflict("the store in " + path + " was written by a newer Petrel (it has '" + name +
                      "', which this one does not know): use that version or restore a backup");
    }
  }
  return Done{};
}

// Without CURRENT RocksDB would make a new store and remove the files of the old one.
Status check_beginning(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(fs::path(path) / "CURRENT", ignored)) return Done{};
  for (fs::directory_iterator entry(path, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const bool is_of_store = name.ends_with(".sst") || name.ends_with(".log") ||
                             name.starts_with("MANIFEST-") || name == CommitMark::kFileName;
    if (!is_of_store) continue;
    Error error = corrupt("the store in " + path + " does not open: its file CURRENT is missing, " +
                          name + " is there; restore a backup");
    error.field = "CURRENT";
    return error;
  }
  return Done{};
}

}  // namespace

bool is_of_older_version(const std::string& path) {
  std::vector<std::string> names;
  const rocksdb::Status listed =
      rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), path, &names);
  return listed.ok() &&
         std::any_of(kFamilyNames.begin(), kFamilyNames.end(), [&](const char* name) {
           return std::find(names.begin(), names.end(), name) == names.end();
         });
}

Result<std::unique_ptr<Database>> Database::open(const RocksSettings& settings,
                                                 const Clock& clock) {
  RocksSettings strictly = settings;
  strictly.accepts_loss = false;
  Result<std::unique_ptr<Database>> opened = open_files(strictly, clock);
  if (opened.ok() || opened.error().kind != ErrorKind::Corrupt) return opened;
  if (!settings.accepts_loss) return opened;
  const Error lost = opened.error();
  opened = open_files(settings, clock);
  if (opened.ok()) (*opened)->note(lost);
  return opened;
}

Result<std::unique_ptr<Database>> Database::open_files(const RocksSettings& settings,
                                                       const Clock& clock) {
  std::error_code failed;
  if (!settings.is_read_only) std::filesystem::create_directories(settings.path, failed);
  if (failed) {
    return unavailable("the folder " + settings.path + " cannot be made: " + failed.message());
  }
  if (settings.env == nullptr) {
    if (Status begun = check_beginning(settings.path); !begun.ok()) return begun.error();
  }
  const BlockCache cache = make_block_cache(settings);
  const rocksdb::DBOptions options = make_db_options(settings, clock, cache);
  if (Status status = check_families(options, settings.path); !status.ok()) return status.error();

  std::unique_ptr<Database> database(new Database());
  database->vault_ = settings.vault;
  database->board_ = settings.board;
  database->is_sync_ = settings.is_sync;
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const auto families = make_families(settings, clock, cache);
  const rocksdb::Status status =
      settings.is_read_only
          ? rocksdb::DB::OpenForReadOnly(options, settings.path, families, &handles, &db)
          : rocksdb::DB::Open(options, settings.path, families, &handles, &db);
  if (!status.ok()) return to_open_error(status, settings.path);
  database->db_.reset(db);
  std::copy(handles.begin(), handles.end(), database->handles_.begin());

  if (Status whole = database->check_complete(settings); !whole.ok()) return whole.error();
  if (settings.is_read_only) return database;
  if (Status migrated = migrate(*database); !migrated.ok()) return migrated.error();
  if (Status folded = fold(*database); !folded.ok()) return folded.error();
  return database;
}

// Commits that were acknowledged are there, or the operator goes on without them.
Status Database::check_complete(const RocksSettings& settings) {
  std::string id;
  const rocksdb::Status known = db_->GetDbIdentity(id);
  if (!known.ok()) return to_open_error(known, settings.path);
  const auto use = settings.is_read_only ? CommitMark::Use::Look : CommitMark::Use::Write;
  mark_ = CommitMark(settings.path, id, use);
  if (board_ && !mark_.fault().empty()) {
    board_->found_damage(CommitMark::kFileName, "cannot be opened (" + mark_.fault() +
                                                    "): commits that get lost are not noticed");
  }
  const Sequence last = db_->GetLatestSequenceNumber();
  if (!mark_.found() || *mark_.found() <= last) return Done{};
  if (settings.accepts_loss) {
    if (!settings.is_read_only) mark_.note(last);
    return Done{};
  }
  Error error =
      corrupt("the store in " + settings.path + " has lost its latest commits: up to " +
              std::to_string(*mark_.found()) + " were acknowledged, up to " + std::to_string(last) +
              " are there. Its last log was cut or deleted; " + advice_for_lost_log());
  error.field = "the last log";
  return error;
}

void Database::note(const Error& error, std::string_view name) {
  if (!board_ || error.kind != ErrorKind::Corrupt) return;
  // Some decoders know only which kind of record it is; the caller then knows which one.
  const bool is_closer = error.field.empty() || name.starts_with(error.field);
  board_->found_damage(is_closer ? std::string(name) : error.field, error.detail);
}

Database::~Database() {
  if (!db_) return;
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  // Everything that was acknowledged is in the log, so an error here loses nothing.
  db_->Close().PermitUncheckedError();
}

Result<bool> Database::get(Family of, const rocksdb::Slice& key, rocksdb::PinnableSlice& value) {
  value.Reset();
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), family(of), key, &value);
  if (status.ok()) return true;
  if (status.IsNotFound()) return false;
  return to_error(status);
}

Status Database::write(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.sync = is_sync_;
  const rocksdb::Status written = db_->Write(options, &batch);
  if (!written.ok()) return to_error(written);
  if (is_sync_) mark_.note(db_->GetLatestSequenceNumber());
  return Done{};
}

}  // namespace petrel::store
