// simulate() lives through what a seed has in store: a day with faults, in which nothing may go
// wrong that was promised, and then a time without, in which everything must come to rest. Every
// fourth seed goes on with a crowd, once without and once with its storms, which bystanders may not
// notice.
//
//   SimulationReport report = simulate({.seed = 42});
//   report.violation          empty if all promises were kept
//   report.hash               the same again for the same seed
//
// Thread: any. It shares nothing.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "sim/checker.h"
#include "sim/fault.h"
#include "sim/judge/crowd_check.h"
#include "sim/mutant.h"
#include "sim/property.h"

namespace petrel::sim {

struct SimulationSettings {
  std::uint64_t seed = 1;
  Duration length = std::chrono::hours(24);
  Mutant mutant = Mutant::None;
  bool keeps_journal = false;  // As text in the report.

  // The judge hears of the day, to its end, and the checkers are left out.
  bool hears_all = false;
};

struct SimulationReport {
  std::uint64_t seed = 0;
  std::optional<Violation> violation;
  std::string last_events;  // Of the delivery that the violation is about.
  std::string journal;
  std::string evidence;
  std::vector<judge::Accusation> accusations;
  judge::StartDelays start_delays;
  Totals totals;
  FaultCounts faults;
  Duration simulated{};
  std::uint64_t events = 0;
  std::uint64_t hash = 0;

  // Goes on with this one.
  void append(SimulationReport next);
};

SimulationReport simulate(const SimulationSettings& settings);

}  // namespace petrel::sim
