// ThreadPool is a BlockingPool of so many threads and a bounded queue before them.
//
// Thread: safe; construction, finish() and destruction on one thread, which is none of its own.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/blocking_pool.h"

namespace petrel {

class ThreadPool final : public BlockingPool {
 public:
  struct Settings {
    std::string name;  // The threads are `name`-0, `name`-1, …
    std::size_t threads = 4;
    std::size_t waiting_max = 10'000;
  };

  explicit ThreadPool(Settings settings);

  // Finishes first.
  ~ThreadPool() override;

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] bool run(Function<void()> work) override;

  // Does what waits, takes nothing new, and ends the threads. Legal twice.
  void finish();

 private:
  void work();

  const Settings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Function<void()>> waiting_;
  bool is_finishing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace petrel
