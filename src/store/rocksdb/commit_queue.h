// CommitQueue is what waits for the commit thread. It is bounded in things and in bytes: what does
// not fit is refused at once, so a slow disk shows as refusals and not as memory.
//
// Thread: safe.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/rocksdb/commit_report.h"
#include "store/store.h"

namespace petrel::store {

class Commit;

// One verb that was called: what it wants written, and whom to answer. It is answered exactly once.
class Work {
 public:
  virtual ~Work() = default;

  // Puts what it wants into the batch, and remembers what came of it.
  virtual void enter(Commit& commit) = 0;

  // Adds what it is to the report on the commit that it is in.
  virtual void count_in(CommitReport&) const {}

  // What came of it, once the batch is on disk as the commit of this sequence.
  virtual void answer(Sequence sequence) = 0;

  // The batch, or the work before it ever entered one, failed.
  virtual void refuse(const Error& error) = 0;

  virtual std::size_t items() const = 0;
  virtual std::size_t bytes() const = 0;

  // Whether who hands it over has it in memory anyway, in a bounded number, and can do nothing else
  // until it is written. It is never refused for want of room: a press of new messages must not
  // keep outcomes from being written.
  virtual bool is_bounded_already() const { return false; }
};

using Works = std::vector<std::unique_ptr<Work>>;

class CommitQueue {
 public:
  // What one commit takes on: enough to share its sync well, and not so much that whoever comes
  // next waits for long.
  static constexpr std::size_t kCommitItems = 1024;

  CommitQueue(std::size_t items_max, std::size_t bytes_max)
      : items_max_(items_max), bytes_max_(bytes_max) {}

  // Takes the work over, or leaves it with the caller and says why not. Work that is larger than
  // the bounds by itself fits into an empty queue.
  Status push(std::unique_ptr<Work>& work);

  // What has gathered, first come first served, up to kCommitItems; waits for some. Empty after
  // `patience`, and once it is closed and empty.
  Works take(Duration patience);

  // From now on everything is refused; what is in it can still be taken.
  void close();
  bool is_over() const;

 private:
  const std::size_t items_max_;
  const std::size_t bytes_max_;

  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::unique_ptr<Work>> works_;
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
  bool is_closed_ = false;
};

}  // namespace petrel::store
