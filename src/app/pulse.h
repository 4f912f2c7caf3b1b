// Pulse beats for one event loop as long as it is there, and tells the operator of the others that
// stopped.
//
// Thread: confined to the loop.

#pragma once

#include <cstddef>
#include <memory>

#include "app/heartbeats.h"
#include "base/clock.h"
#include "base/loop.h"
#include "log/log.h"

namespace petrel::app {

class Pulse {
 public:
  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    Heartbeats& beats;
    std::size_t beat;  // This loop's among them.
    log::Log& log;
  };

  explicit Pulse(const Parts& parts);
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  void beat();

  const Parts parts_;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
