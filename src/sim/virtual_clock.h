// VirtualClock is both clocks of a simulated machine. It stands still until it is moved: a day
// passes in as long as it takes to do what happens in it.
//
// The monotonic clock only moves on. The wall clock moves with it, and can be stepped either way,
// as by an operator or a time server.
//
// Thread: confined.

#pragma once

#include <cstddef>

#include "base/clock.h"

namespace petrel::sim {

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime begin) : begin_(begin) {}

  WallTime wall() const override { return begin_ + now_.time_since_epoch(); }
  MonoTime mono() const override { return now_; }

  // REQUIRES: `to` is not in the past.
  void advance_to(MonoTime to);

  // From now on the wall clock shows this much more, or less.
  void step(Duration by);

  // How often the wall clock was stepped.
  std::size_t steps() const { return steps_; }

 private:
  MonoTime now_{};
  WallTime begin_;  // What the wall clock showed at the beginning, moved by all steps since.
  std::size_t steps_ = 0;
};

}  // namespace petrel::sim
