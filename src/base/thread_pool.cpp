#include "base/thread_pool.h"

#include <utility>

#include <fmt/format.h>
#include <pthread.h>

namespace petrel {

ThreadPool::ThreadPool(Settings settings) : settings_(std::move(settings)) {
  for (std::size_t i = 0; i < settings_.threads; ++i) {
    threads_.emplace_back([this, name = fmt::format("{}-{}", settings_.name, i)] {
      pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
      work();
    });
  }
}

ThreadPool::~ThreadPool() { finish(); }

bool ThreadPool::run(Function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_finishing_ || waiting_.size() >= settings_.waiting_max) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void ThreadPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_finishing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_finishing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Function<void()> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next();
    next = nullptr;  // What it holds goes before the lock is taken again.
    lock.lock();
  }
}

}  // namespace petrel
