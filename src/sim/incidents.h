// Incidents makes happen to the node what the scenario has in store for it: crashes, restarts,
// clock steps, a disk that stalls or is full, an operator who changes or pauses endpoints.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <vector>

#include "sim/dice.h"
#include "sim/fault.h"
#include "sim/faulty_store.h"
#include "sim/scenario.h"
#include "sim/sim_node.h"
#include "sim/world.h"

namespace petrel::sim {

class Incidents {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    SimNode& node;
    FaultyStore& store;
    FaultCounts& faults;
    Witness& witness;
  };

  Incidents(const Parts& parts, std::uint64_t seed) : parts_(parts), dice_(seed) {}

  // Plans all of them.
  void begin();

  // After every event: a crash comes in the midst of things.
  void looked();

  // Nothing happens any more.
  void end() { has_ended_ = true; }

 private:
  void begin(const Incident& incident);
  void happen(const Incident& incident);
  void saw(Landmark landmark, const judge::DeliveryName& about);
  void step_clock(Duration by);

  Parts parts_;
  Dice dice_;
  std::vector<const Incident*> aimed_;  // They wait for what they are aimed at.
  int events_to_crash_ = 0;             // 0 if none is near.
  Duration down_for_{};
  bool has_ended_ = false;
};

}  // namespace petrel::sim
