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

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const RocksSettings& settings,
                                                 const Clock& clock) {
  std::error_code failed;
  std::filesystem::create_directories(settings.path, failed);
  if (failed) {
    return unavailable("the folder " + settings.path + " cannot be made: " + failed.message());
  }
  const rocksdb::DBOptions options = make_db_options(settings, clock);
  if (Status status = check_families(options, settings.path); !status.ok()) return status.error();

  std::unique_ptr<Database> database(new Database());
  database->vault_ = settings.vault;
  database->is_sync_ = settings.is_sync;
  database->liveness_ = std::make_shared<LivenessDoor>();
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status = rocksdb::DB::Open(
      options, settings.path, make_families(settings, clock, database->liveness_), &handles, &db);
  if (!status.ok()) return to_open_error(status, settings.path);
  database->db_.reset(db);
  std::copy(handles.begin(), handles.end(), database->handles_.begin());

  if (Status migrated = migrate(*database); !migrated.ok()) return migrated.error();
  if (Status folded = fold(*database); !folded.ok()) return folded.error();
  Database* self = database.get();
  database->liveness_->open([self](ApplicationId application, MessageId message) {
    return self->is_live(application, message);
  });
  return database;
}

Database::~Database() {
  liveness_->close();
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
  return Done{};
}

bool Database::is_live(ApplicationId application, MessageId message) {
  rocksdb::PinnableSlice value;
  Result<bool> found = get(Family::Message, message_key(application, message).slice(), value);
  if (!found.ok()) return true;
  if (!*found) return false;
  const Result<model::Message> record = decode_message(application, message, view(value));
  if (!record.ok()) return true;
  for (const EndpointId& endpoint : record->endpoints) {
    found = get(Family::Delivery, delivery_key({endpoint, message}).slice(), value);
    if (!found.ok()) return true;
    if (!*found) continue;
    const Result<DeliveryHead> head = decode_delivery_head(view(value));
    if (!head.ok() || head->state == model::DeliveryState::Pending ||
        head->state == model::DeliveryState::Retrying) {
      return true;
    }
  }
  return false;
}

}  // namespace petrel::store
