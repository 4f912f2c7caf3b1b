#include "sim/virtual_clock.h"

#include "base/check.h"

namespace petrel::sim {

void VirtualClock::advance_to(MonoTime to) {
  CHECK(to >= now_);
  now_ = to;
}

void VirtualClock::step(Duration by) {
  begin_ += by;
  ++steps_;
}

}  // namespace petrel::sim
