// IdleConnections knows, across all event loops, which loop holds the connection that has idled
// longest, so that it can go first when another loop needs its descriptor.
//
//   loop 1: needs a descriptor, keeps no idle connection ──▶ free_one()
//   loop 2: its pool's oldest is the oldest of all ──▶ closes it, and hands its place over
//
// Each loop's pool shows how many connections it keeps and since when the oldest has idled. A loop
// that has idle connections of its own gives up one of those instead, without asking anybody: see
// ConnectionPlaces.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

#include "base/time.h"
#include "net/descriptor_budget.h"

namespace boost::asio {
class io_context;
}

namespace petrel::dispatch {

class IdleConnections {
 public:
  // What a pool shows of itself: written by its loop, read by all.
  struct Shown {
    std::atomic<std::size_t> count{0};
    std::atomic<MonoTime> oldest_since{MonoTime::max()};
  };

  // Closes the connection that has idled longest, on the pool's own loop. Empty if there is none,
  // or the pool is gone.
  using Evict = std::function<net::DescriptorPlace()>;

  IdleConnections() = default;
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  // The loop's pool joins for as long as this is there; what it shows does not move.
  Shown& join(boost::asio::io_context& loop, Evict evict);

  // Has the loop close one whose pool shows the oldest, and answers on `asker` with its place:
  // empty if there is none, or it was used meanwhile.
  using Freed = std::function<void(net::DescriptorPlace)>;
  void free_one(boost::asio::io_context& asker, Freed freed);

  std::size_t count() const;

 private:
  struct Pool {
    Pool(boost::asio::io_context& the_loop, Evict the_evict)
        : loop(the_loop), evict(std::move(the_evict)) {}

    boost::asio::io_context& loop;
    const Evict evict;
    Shown shown;
  };

  mutable std::mutex mutex_;  // Of the list; what is in it guards itself.
  std::deque<Pool> pools_;    // Which never move.
};

}  // namespace petrel::dispatch
