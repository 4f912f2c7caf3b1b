#include "store/rocksdb/commit_queue.h"

#include <utility>

namespace petrel::store {

Status CommitQueue::push(std::unique_ptr<Work>& work) {
  const std::size_t items = work->items();
  const std::size_t bytes = work->bytes();
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return unavailable("the store is closed");
    const bool is_bounded = !works_.empty() && !work->is_bounded_already();
    if (is_bounded && (items_ + items > items_max_ || bytes_ + bytes > bytes_max_)) {
      return unavailable("the store has more to write than it can keep waiting");
    }
    items_ += items;
    bytes_ += bytes;
    works_.push_back(std::move(work));
    if (works_.size() > 1) return Done{};  // Somebody else has woken it.
  }
  filled_.notify_one();
  return Done{};
}

Works CommitQueue::take(Duration patience) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, patience, [&] { return is_closed_ || !works_.empty(); });
  Works taken;
  std::size_t items = 0;
  while (!works_.empty() && items < kCommitItems) {
    items += works_.front()->items();
    bytes_ -= works_.front()->bytes();
    taken.push_back(std::move(works_.front()));
    works_.pop_front();
  }
  items_ -= items;
  return taken;
}

void CommitQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  filled_.notify_all();
}

bool CommitQueue::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_closed_ && works_.empty();
}

}  // namespace petrel::store
