// DatabaseSlot holds the open Database, so that it can be closed and opened again under those who
// use it.
//
// Whoever reads takes a share for the length of one question; close() takes the database away from
// those who come after and returns when the last share is given back and the files are closed.
//
// Thread: safe.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "store/rocksdb/database.h"

namespace petrel::store {

class DatabaseSlot {
 public:
  // Null while there is none.
  std::shared_ptr<Database> share() const;

  // REQUIRES: there is none.
  void put(std::unique_ptr<Database> database);

  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable closed_;
  std::shared_ptr<Database> database_;  // Shared with those who are reading.
  bool is_closed_ = true;
};

}  // namespace petrel::store
