// How commands get at a store without a server: only one that is there, and dropping nothing.
//
// Thread: any.

#pragma once

#include <memory>

#include "app/settings.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::app {

// Whether there is a store at all: opening one would make it.
bool has_store(const Settings& settings);

// NotFound if there is none; Invalid if an older Petrel wrote it and no server of this version has
// opened it yet: that brings it to a form from which there is no way back. Writes nothing.
Result<store::RocksSettings> settings_to_look(const Settings& settings);

// As above. The store is the caller's alone meanwhile: a server cannot have it open.
Result<std::unique_ptr<store::RocksStore>> open_existing(const Settings& settings,
                                                         const Clock& clock);

}  // namespace petrel::app
