// The journal of tallies: what each commit changed in them, as one entry.
//
// Putting every number that a commit changed in its own place would make a message a fifth dearer,
// as each put is a search in a sorted list. So a commit puts all of them together under its number,
// and now and then fold() puts the last of each in its place and takes the journal away. Numbers
// are absolute: an entry that is folded twice does no harm.
//
//   family tally, key: a zero byte, then the commit's number      9 bytes, unlike any other
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string>

#include <rocksdb/write_batch.h>

#include "base/result.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_key.h"

namespace petrel::store {

void put_in_journal(Database& database, std::uint64_t number, const TallyEntries& entries,
                    rocksdb::WriteBatch& batch);

// In their own places.
void put_in_place(Database& database, const TallyEntries& entries, rocksdb::WriteBatch& batch);

// Whole or not at all.
Status fold(Database& database);

// Whether the bytes are an entry of the journal.
Status check_journal_entry(std::string_view bytes);

}  // namespace petrel::store
