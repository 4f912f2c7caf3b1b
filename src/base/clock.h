// Clock is the door to time. Only the shells that touch the world hold one; everything that
// decides is handed `now` as an argument.
//
// Thread: safe.

#pragma once

#include "base/time.h"

namespace petrel {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual WallTime wall() const = 0;
  virtual MonoTime mono() const = 0;
};

// The machine's own clocks.
class SystemClock final : public Clock {
 public:
  WallTime wall() const override;
  MonoTime mono() const override;
};

}  // namespace petrel
