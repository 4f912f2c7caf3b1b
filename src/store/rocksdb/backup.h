// Copies of a whole store: RocksStore::checkpoint() makes one, restore() takes it back.
//
// Thread: any.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::store {

// The folder of RocksStore::stage(), in that of the store.
inline constexpr std::string_view kStagingName = "backup.staging";

// Removes what a backup that was cut short has left in the store's folder.
void clear_staging(const std::string& store);

// Whether one folder is the other, or below it. Neither has to be there.
bool is_within(const std::filesystem::path& inner, const std::filesystem::path& outer);

// What is in a folder of plain files.
Result<BackupReport> report_on(const std::filesystem::path& folder);

// On disk, not only handed to the system. Files and folders alike.
Status sync_to_disk(const std::filesystem::path& path);

// Copies the checkpoint in `from` to the folder `to`, which must not be there yet or be empty. It
// is opened first, to see that it is whole and of a format that this Petrel knows; `to` appears
// only when everything is on disk.
//
// REQUIRES: nobody has `from` open.
Status restore(const std::string& from, const std::string& to, const Clock& clock);

}  // namespace petrel::store
