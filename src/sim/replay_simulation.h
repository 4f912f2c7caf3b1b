// simulate_replay() lives through an hour or two in which people replay dead letters and everything
// that can go wrong does, and then through a time without trouble, in which every task must end.
//
//   ReplayReport report = simulate_replay({.seed = 42});
//   report.violation          empty if all promises were kept
//   report.hash               the same again for the same seed
//
// Thread: any. It shares nothing.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/replay_audit.h"
#include "sim/replay_mutant.h"

namespace petrel::sim {

struct ReplaySettings {
  std::uint64_t seed = 1;
  ReplayMutant mutant = ReplayMutant::None;
  bool keeps_log = false;  // As text in the report.
};

struct ReplayReport {
  std::uint64_t seed = 0;
  std::optional<ReplayViolation> violation;
  std::string last_events;
  std::string log;
  ReplayTotals totals;
  Duration simulated{};
  std::uint64_t events = 0;
  std::uint64_t hash = 0;
};

ReplayReport simulate_replay(const ReplaySettings& settings);

}  // namespace petrel::sim
