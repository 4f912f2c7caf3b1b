#include "store/rocksdb/database_slot.h"

#include <utility>

#include "base/check.h"

namespace petrel::store {

std::shared_ptr<Database> DatabaseSlot::share() const {
  const std::lock_guard lock(mutex_);
  return database_;
}

void DatabaseSlot::put(std::unique_ptr<Database> database) {
  std::shared_ptr<Database> shared(database.release(), [this](Database* last) {
    delete last;
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    closed_.notify_all();
  });
  const std::lock_guard lock(mutex_);
  CHECK(is_closed_);  // Ours: only the commit thread opens and closes.
  database_ = std::move(shared);
  is_closed_ = false;
}

void DatabaseSlot::close() {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Database> ours = std::exchange(database_, nullptr);
  lock.unlock();
  ours.reset();
  lock.lock();
  closed_.wait(lock, [&] { return is_closed_; });
}

}  // namespace petrel::store
