#include "store/rocksdb/reader_pool.h"

#include <utility>

#include <pthread.h>

namespace petrel::store {

ReaderPool::ReaderPool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

ReaderPool::~ReaderPool() { stop(); }

bool ReaderPool::post(std::function<void()> read) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(read));
  }
  filled_.notify_one();
  return true;
}

void ReaderPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ReaderPool::run() {
  pthread_setname_np(pthread_self(), "store-reader");
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [&] { return is_stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> read = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    read();
    lock.lock();
  }
}

}  // namespace petrel::store
