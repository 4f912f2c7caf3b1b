// Loop is an event loop as those see it who run on it but do not turn it: one thread, on which
// things are done one after the other.
//
// Thread: post() from any, the rest on the loop's own.

#pragma once

#include <memory>

#include "base/function.h"
#include "base/time.h"

namespace petrel {

// Calls back at a moment. Setting it again replaces the moment before; destroying it cancels it.
class LoopTimer {
 public:
  virtual ~LoopTimer() = default;

  virtual void set(MonoTime at, Function<void()> action) = 0;
  virtual void cancel() = 0;
};

class Loop {
 public:
  virtual ~Loop() = default;

  // Does it on the loop's thread, after what is being done now and never from within this call.
  virtual void post(Function<void()> action) = 0;

  virtual std::unique_ptr<LoopTimer> make_timer() = 0;
};

}  // namespace petrel
