// Resealing brings the secrets in a store under the key that seals now: those that an older key
// sealed, and those that were stored before anything was sealed.
//
// Thread: any.

#pragma once

#include "base/result.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

// Refuses in words that name the key if one is sealed with a key that the vault does not have. When
// something was resealed, what lay there before is taken off the disk as well, unless a part of the
// endpoints cannot be read: that part stays as it is, and so do the files.
//
// REQUIRES: the database has a vault.
Status reseal(Database& database);

}  // namespace petrel::store
