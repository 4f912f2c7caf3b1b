// Database is one open RocksDB with Petrel's column families: the only thing that holds its
// handles.
//
// Thread: safe.

#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/write_batch.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/rocksdb/commit_mark.h"
#include "store/rocksdb/rocks_settings.h"
#include "store/rocksdb/schema.h"
#include "store/store.h"
#include "vault/vault.h"

namespace petrel::store {

// Whether a Petrel wrote it that knew fewer families: opening it makes the others. Writes nothing.
bool is_of_older_version(const std::string& path);

class Database {
 public:
  // Makes the folder and an empty store if there is none, and brings an older format up to date.
  // Corrupt if a file is damaged, or if commits are missing that were acknowledged.
  static Result<std::unique_ptr<Database>> open(const RocksSettings& settings, const Clock& clock);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const {
    return handles_[static_cast<std::size_t>(family)];
  }

  // REQUIRES: the settings had one.
  const vault::Vault& vault() const {
    CHECK(vault_);  // Ours: see above.
    return *vault_;
  }

  // Whether there is one; its value is then in `value`.
  Result<bool> get(Family family, const rocksdb::Slice& key, rocksdb::PinnableSlice& value);

  // Writes it and syncs it: at once all of it, or nothing.
  //
  // Nothing else may write. A log that is closed is synced by the flush of its memtables and by the
  // next commit alike, and RocksDB aborts where one of them finds that the other has failed. If
  // every write was synced, there is nothing left in it that could fail.
  Status write(rocksdb::WriteBatch& batch);

  // Notes it on the store's board if it says that something is damaged. `name` says what, if the
  // error does not or only of which kind it is.
  void note(const Error& error, std::string_view name = {});

 private:
  Database() = default;

  static Result<std::unique_ptr<Database>> open_files(const RocksSettings& settings,
                                                      const Clock& clock);
  Status check_complete(const RocksSettings& settings);

  std::shared_ptr<const vault::Vault> vault_;  // Shared with the settings.
  std::shared_ptr<ConditionBoard> board_;      // Shared with the store. May be null.
  bool is_sync_ = true;
  CommitMark mark_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyNames.size()> handles_{};
};

// A snapshot of everything, for as long as it lives.
class Snapshot {
 public:
  explicit Snapshot(Database& database)
      : db_(database.db()), snapshot_(database.db().GetSnapshot()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { db_.ReleaseSnapshot(snapshot_); }

  Sequence sequence() const { return snapshot_->GetSequenceNumber(); }

  rocksdb::ReadOptions reads() const {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot_;
    return options;
  }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
};

}  // namespace petrel::store
