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
  int shards = 1;      // Which have equal parts of them.

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

  // What a node may do for nothing: reads of the store per message, act and start; turns of its
  // loops between two counts while there is nothing to do.
  std::uint64_t reads_per_cause = 50;
  std::uint64_t turns_idle_max = 100;
};

}  // namespace petrel::sim::judge
