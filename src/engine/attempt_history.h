// AttemptHistory is how the attempts of a lane went over the last hour, in a few numbers: what an
// operator looks at first.
//
// It counts in slots of five minutes, so a figure "over an hour" covers 55 to 60 minutes. Latencies
// are counted in steps of a factor of √2, so a percentile is at most that much too high. A lane
// that has made no attempt costs nothing.
//
// Thread: confined.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace petrel::engine {

class AttemptHistory {
 public:
  struct Entry {
    bool is_retry = false;
    bool is_success = false;
    Duration latency{};
  };

  struct Figures {
    std::uint64_t attempts = 0;  // Over an hour, as all that follow but for the retry ratio.
    std::uint64_t successes = 0;
    double retry_ratio = 0;  // Retries among the attempts of the last 15 minutes.
    std::optional<Duration> latency_p50 = {};
    std::optional<Duration> latency_p95 = {};
    std::optional<Duration> latency_p99 = {};
  };

  void add(const Entry& entry, MonoTime now);

  Figures figures(MonoTime now) const;

  // Over an hour, without the cost of the other figures.
  std::uint64_t failures(MonoTime now) const;

  // From when on there is nothing left to tell. Empty if there never was.
  std::optional<MonoTime> over_at() const;

 private:
  static constexpr std::size_t kSteps = 40;

  struct Slot {
    std::int64_t number = -1;  // Since the beginning of the clock.
    std::uint32_t attempts = 0;
    std::uint32_t retries = 0;
    std::uint32_t successes = 0;
    std::array<std::uint32_t, kSteps> latencies{};
  };

  std::vector<Slot> slots_;  // Empty until there is something to count.
};

}  // namespace petrel::engine
