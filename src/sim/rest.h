// What is to be expected of a node once the faults have stopped and every receiver is well: by when
// everything has ended, and that then nothing is left over.
//
// Thread: any.

#pragma once

#include <vector>

#include "base/time.h"
#include "engine/core.h"
#include "sim/judge/accusation.h"
#include "sim/judge/scene.h"

namespace petrel::sim {

// When the last delivery must have ended. Later than need be, if in doubt: what comes to rest
// sooner is not waited for.
MonoTime rest_bound(const judge::Scene& scene, const judge::Moment& now);

// How the world looks at that time.
struct Rest {
  judge::Moment now;
  bool is_spinning = false;         // It goes on and on without time passing.
  bool are_producers_done = false;  // Each was told that its message was accepted.
  engine::CoreCounts counts = {};
};

// Everything that is left over.
std::vector<judge::Accusation> left_over(const judge::Scene& scene, const Rest& rest);

}  // namespace petrel::sim
