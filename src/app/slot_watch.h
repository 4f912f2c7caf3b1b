// SlotWatch shows in the metrics how many attempts are in flight of those that there may be:
//
//   petrel_slots                 how many slots there are
//   petrel_slots_in_use          for attempts in flight, and those whose outcome is being written
//   petrel_slots_lanes_waiting   endpoints with something to send that wait for one
//
// Thread: confined to its loop.

#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/loop.h"
#include "engine/slot_budget.h"
#include "metric/registry.h"

namespace petrel::app {

class SlotWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    metric::Registry& registry;
    const engine::SlotBudget& slots;
  };

  explicit SlotWatch(const Parts& parts);
  SlotWatch(const SlotWatch&) = delete;
  SlotWatch& operator=(const SlotWatch&) = delete;

 private:
  void look();

  const Parts parts_;
  metric::Gauge& in_use_;
  metric::Gauge& waiting_;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
