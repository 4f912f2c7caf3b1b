// Now is one moment on both clocks, as a shell read them together.

#pragma once

#include "base/time.h"

namespace petrel::engine {

struct Now {
  WallTime wall;
  MonoTime mono;

  // The moment at which a wall clock that goes on evenly will show `time`; now if it has passed.
  MonoTime mono_at(WallTime time) const { return time <= wall ? mono : mono + (time - wall); }
};

}  // namespace petrel::engine
