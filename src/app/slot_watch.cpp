#include "app/slot_watch.h"

namespace petrel::app {

SlotWatch::SlotWatch(const Parts& parts)
    : parts_(parts),
      in_use_(parts.registry.gauge(
          "petrel_slots_in_use", "Attempts in flight, and those whose outcome is being written.")),
      waiting_(parts.registry.gauge("petrel_slots_lanes_waiting",
                                    "Endpoints with something to send that wait for a slot.")),
      timer_(parts.loop.make_timer()) {
  parts_.registry.gauge("petrel_slots", "Attempts that may be in flight at once.")
      .set(parts_.slots.slots());
  look();
}

void SlotWatch::look() {
  in_use_.set(parts_.slots.in_use());
  waiting_.set(parts_.slots.lanes_waiting());
  timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
}

}  // namespace petrel::app
