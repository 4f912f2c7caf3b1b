// World is what happens, one thing after the other: events ordered by their time and, at one
// moment, by the order in which they were planned. One thread, one seed, no surprises: the same
// plans always happen in the same order.
//
//   World world(begin);
//   world.after(std::chrono::hours(3), [] { … });
//   world.run_until(end);       three hours later at once
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <vector>

#include "base/function.h"
#include "base/time.h"
#include "sim/virtual_clock.h"

namespace petrel::sim {

class World {
 public:
  explicit World(WallTime begin) : clock_(begin) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  VirtualClock& clock() { return clock_; }
  const VirtualClock& clock() const { return clock_; }
  MonoTime now() const { return clock_.mono(); }

  // A time in the past means now. Never from within this call.
  void at(MonoTime time, Function<void()> action);
  void after(Duration delay, Function<void()> action) { at(now() + delay, std::move(action)); }

  // Called after every event.
  void watch(Function<void()> watcher) { watcher_ = std::move(watcher); }

  // Does everything that is planned up to `time`, and what it brings about, then moves the clock
  // there. Returns early if stopped, or if more happens at one moment than can be meant.
  void run_until(MonoTime time);

  // The same, but ends when nothing is planned any more, wherever the clock is then.
  void run_to_rest(MonoTime latest);

  void stop() { is_stopped_ = true; }

  // So much happened without time passing that somebody goes round in a circle.
  bool is_spinning() const { return events_at_once_ > kAtOnceMax; }

  bool is_empty() const { return events_.empty(); }
  std::uint64_t events_done() const { return events_done_; }

 private:
  static constexpr std::uint64_t kAtOnceMax = 200'000;

  struct Event {
    MonoTime time;
    std::uint64_t sequence;
    Function<void()> action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  bool may_go_on(MonoTime until) const;
  void do_next();

  VirtualClock clock_;
  std::vector<Event> events_;  // A heap.
  Function<void()> watcher_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t events_done_ = 0;
  std::uint64_t events_at_once_ = 0;
  bool is_stopped_ = false;
};

}  // namespace petrel::sim
