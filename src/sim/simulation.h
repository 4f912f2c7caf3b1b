// simulate() lives through what a seed has in store: a day with faults, in which nothing may go
// wrong that was promised, and then a time without, in which everything must come to rest. Every
// fourth seed goes on with a crowd, once without and once with its storms, which bystanders may not
// notice. A judge hears of all of it.
//
//   SimulationReport report = simulate({.seed = 42});
//   report.accusations        empty if all promises were kept
//
// The same seed gives the same evidence again.
//
// Thread: any. It shares nothing.

#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "sim/disk.h"
#include "sim/fault.h"
#include "sim/judge/accusation.h"
#include "sim/judge/crowd_check.h"
#include "sim/judge/evidence.h"
#include "sim/mutant.h"
#include "sim/reached.h"
#include "sim/totals.h"

namespace petrel::sim {

struct SimulationSettings {
  std::uint64_t seed = 1;
  Duration length = std::chrono::hours(24);
  Mutant mutant = Mutant::None;
  MakeDisk make_disk = {};      // A MemoryDisk if empty.
  bool keeps_evidence = false;  // In the report.

  // Goes on after the first accusation, to the end.
  bool hears_all = false;
};

struct SimulationReport {
  std::uint64_t seed = 0;
  std::vector<judge::Accusation> accusations;
  std::vector<judge::Evidence> evidence;
  judge::StartDelays start_delays;
  Totals totals;
  FaultCounts faults;
  Reached reached;
  Duration simulated{};
  std::uint64_t events = 0;

  // Goes on with this one.
  void append(SimulationReport next);
};

SimulationReport simulate(const SimulationSettings& settings);

}  // namespace petrel::sim
