// Copies of a whole store: RocksStore::checkpoint() makes one, restore() takes it back.
//
// Thread: any.

#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace petrel::store {

// Copies the checkpoint in `from` to the folder `to`, which must not be there yet or be empty. It
// is opened first, to see that it is whole and of a format that this Petrel knows; `to` appears
// only when everything is on disk.
//
// REQUIRES: nobody has `from` open.
Status restore(const std::string& from, const std::string& to, const Clock& clock);

}  // namespace petrel::store
