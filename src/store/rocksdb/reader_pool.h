// ReaderPool is the few threads that read for the event loops, so that a slow disk never holds a
// commit up, nor a loop.
//
// Thread: safe. `store-reader` are the threads that it runs.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace petrel::store {

class ReaderPool {
 public:
  ReaderPool(std::size_t threads, std::size_t waiting_max);
  ~ReaderPool();

  // False if too many are waiting, or it has been stopped: then it will not run.
  bool post(std::function<void()> read);

  // Runs what is waiting, and returns when the threads have ended. Legal twice.
  void stop();

 private:
  void run();

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> waiting_;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace petrel::store
