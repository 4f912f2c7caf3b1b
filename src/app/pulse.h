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

namespace petrel::app {

class Pulse {
 public:
  // All of them outlive it.
  Pulse(Loop& loop, const Clock& clock, Heartbeats& beats, std::size_t index);
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  void beat();

  const Clock& clock_;
  Heartbeats& beats_;
  const std::size_t index_;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
