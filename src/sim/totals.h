// Totals is what a run has lived through, in figures.
//
// Thread: any. Values.

#pragma once

#include <cstdint>

#include "base/time.h"
#include "sim/judge/scene.h"

namespace petrel::sim {

struct Totals {
  std::uint64_t messages = 0;    // Promised to their producers.
  std::uint64_t deliveries = 0;  // On disk.
  std::uint64_t attempts = 0;    // On the wire.
  std::uint64_t delivered = 0;
  std::uint64_t dead = 0;
  std::uint64_t changed_by_tasks = 0;  // Put back or discarded.

  Duration storm_cost_max{};  // The most that storms elsewhere added to a bystander's start.

  void add(const Totals& other);
};

Totals totals_of(const judge::Scene& scene);

}  // namespace petrel::sim
