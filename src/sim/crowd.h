// A crowd is a scenario of some minutes with few slots: endpoints that are well and have little to
// do, next to others that hang one after the other with a full backlog, and one that is flooded.
//
// Nothing else goes wrong in it, so that it can be compared with itself without the storms.
//
// Thread: any. Values.

#pragma once

#include <cstdint>

#include "sim/scenario.h"

namespace petrel::sim {

Scenario draw_crowd(std::uint64_t seed);

// The same, with nothing to send but to bystanders.
Scenario without_storms(Scenario crowd);

}  // namespace petrel::sim
