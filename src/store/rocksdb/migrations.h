// Migrations bring a store that an older Petrel wrote up to the format of this one.
//
// The format is a number in the store. Each migration leads from one number to the next and runs
// before anything else is read; an interrupted one runs again from its beginning. Records have a
// version of their own (encoding.h), so a format changes only when keys or families do.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace petrel::store {

class Database;

// 1   the first
// 2   has tallies
// 3   knows how much is kept, drops what is past its retention message by message, and has suspects
inline constexpr std::uint64_t kFormat = 3;

struct Migration {
  std::uint64_t to;  // From the format before it.
  Status (*run)(Database& database);
};

// Writes the format into a store that is empty, runs what is missing in an older one, and refuses a
// newer one.
Status migrate(Database& database);

// As above, by other rules than this Petrel's own. For tests.
//
// REQUIRES: the migrations are in the order of their formats, up to `format`.
Status migrate(Database& database, std::uint64_t format, std::span<const Migration> migrations);

// The refusal.
Error too_new(std::uint64_t found);

}  // namespace petrel::store
