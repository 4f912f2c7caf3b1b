// Interrupt is Ctrl-C as a value: from when it is made, SIGINT and SIGTERM no longer end the
// process but are noticed, so that a command can leave things in order and say how it ends.
//
// A second one ends the process at once, as usual.
//
// Thread: one at a time in a process; came() and wait() on any thread.

#pragma once

#include "base/time.h"

namespace petrel::app {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool came() const;

  // Waits for so long, or until it comes. Whether it came.
  bool wait(Duration at_most) const;

 private:
  int pipe_[2] = {-1, -1};  // Written to by the signal's handler.
};

}  // namespace petrel::app
