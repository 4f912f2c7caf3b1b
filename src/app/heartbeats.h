// Heartbeats says which event loops still turn.
//
//   const std::size_t shard = beats.add("shard-1", now);   before the loops start
//   beats.beat(shard, now);                                by the loop itself, once a second
//   beats.late(now)  → {"shard-1 has not turned for 7 s"}
//
// A loop that is kept busy, by work that has no bound or by a wait that does not end, stops
// beating; the others see it. If none of them turns, nothing here says so: then nothing answers at
// all.
//
// Thread: add() before there is any other; the rest is safe.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"

namespace petrel::app {

class Heartbeats {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // A loop that was quiet for so long is late: no single piece of work may take as long.
  static constexpr Duration kPatience = std::chrono::seconds(5);

  // The index that the loop beats with.
  std::size_t add(std::string name, MonoTime now);

  void beat(std::size_t loop, MonoTime now);

  // A sentence for each loop that is late.
  std::vector<std::string> late(MonoTime now) const;

  // A sentence for each loop that has become late, or has turned again, since this was last asked.
  std::vector<std::string> changes(MonoTime now);

 private:
  struct Loop {
    explicit Loop(std::string the_name, MonoTime now) : name(std::move(the_name)), last(now) {}

    const std::string name;
    std::atomic<MonoTime> last;
    bool is_late = false;  // As was said last.
  };

  std::deque<Loop> loops_;  // Which never move.
  std::mutex mutex_;        // Of is_late.
};

}  // namespace petrel::app
