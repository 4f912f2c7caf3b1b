// A crowd is a scenario of some minutes with few slots: endpoints that are well and have little to
// do, next to as many as there are first slots for that hang with a full backlog, all at once or
// one after the other, and one that is flooded.
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
