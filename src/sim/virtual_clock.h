// VirtualClock is both clocks of a simulated machine. It stands still until it is moved: a day
// passes in as long as it takes to do what happens in it.
//
// The monotonic clock only moves on. The wall clock moves with it, and can be stepped either way,
// as by an operator or a time server.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace petrel::sim {

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime begin) { eras_.push_back({MonoTime{}, begin}); }

  WallTime wall() const override { return wall_at(eras_.back(), now_); }
  MonoTime mono() const override { return now_; }

  // REQUIRES: `to` is not in the past.
  void advance_to(MonoTime to);

  // From now on the wall clock shows this much more, or less.
  void step(Duration by);

  // The last moment, now or in the past, at which the wall clock showed `time`. Empty if it never
  // did.
  std::optional<MonoTime> moment_of(WallTime time) const;

  // When one who read both clocks at some moment since `since` could first have expected the wall
  // clock to show `time`, had it gone on evenly.
  MonoTime earliest_expected(WallTime time, MonoTime since) const;

  // The latest time that the wall clock ever showed.
  WallTime latest_shown() const { return std::max(latest_before_, wall()); }

  // How often the wall clock was stepped, and when last.
  std::size_t steps() const { return eras_.size() - 1; }
  MonoTime last_step() const { return eras_.back().from; }

 private:
  // A stretch of time in which both clocks go evenly.
  struct Era {
    MonoTime from;
    WallTime wall;  // What the wall clock showed at `from`.
  };

  static WallTime wall_at(const Era& era, MonoTime time) { return era.wall + (time - era.from); }

  MonoTime now_{};
  WallTime latest_before_ = WallTime::min();  // The last step.
  std::vector<Era> eras_;
};

}  // namespace petrel::sim
