// JudgeSettings is what the judge has to be told of the world that it judges.
//
// Thread: any. A value.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "sim/judge/figures.h"
#include "sim/judge/known_defects.h"

namespace petrel::sim::judge {

struct JudgeSettings {
  KnownDefects defects = {};

  int slots = 65'536;  // S, of "Between endpoints".

  // What endpoints of one authority share at least.
  int authority_cap = figures::kAuthorityCap;

  // How late a loop may take up what it was told.
  Duration lateness = std::chrono::seconds(1);

  // How long a read or a write takes at most while the store is well.
  Duration loading{};

  // What may pass from when something is allowed until it is seen: loops, commits, loads.
  Duration slack = std::chrono::seconds(5);

  // How long a drain may take after its grace.
  Duration last_commit = std::chrono::seconds(10);

  std::size_t payload_bytes_max = std::size_t{1} << 30U;

  // How much longer than the slack a payload may have to wait for memory.
  Duration memory_wait{};

  // What a node may do between two counts: reads of the store per message, act and start, per
  // failure of the store, and for nothing; turns of its loops while there is nothing to do.
  std::uint64_t reads_per_cause = 10;
  std::uint64_t reads_per_failure = 4;
  std::uint64_t reads_for_nothing = 50;
  std::uint64_t turns_idle_max = 100;
};

}  // namespace petrel::sim::judge
