// What RocksDB says, in Petrel's kinds of error and in words that an operator can act on.
//
// An error of kind Corrupt has the file's or record's name as its field.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include <rocksdb/status.h>

#include "base/result.h"

namespace petrel::store {

// REQUIRES: !status.ok().
Error to_error(const rocksdb::Status& status);

// The same for a store that could not be opened at `path`.
Error to_open_error(const rocksdb::Status& status, const std::string& path);

// What an operator can do about a store that does not open because its log is not whole.
std::string advice_for_lost_log();

// The text with the names of files only: an answer to a client does not show where the store is.
std::string without_folders(std::string_view text);

// The file that RocksDB names in what it says: "000123.sst", "000042.log". Empty if there is none.
std::string named_file(std::string_view said);

}  // namespace petrel::store
