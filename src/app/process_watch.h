// ProcessWatch shows in the metrics what the process takes of the machine, by the names that every
// Prometheus client has for it, so that ready-made dashboards find them:
//
//   process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
//   process_open_fds, process_max_fds, process_threads, process_start_time_seconds
//
// Thread: confined to its loop.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/machine_memory.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "metric/registry.h"

namespace petrel::app {

// What /proc/self/stat says.
struct ProcessState {
  double cpu_seconds = 0;
  std::uint64_t threads = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_bytes = 0;
  double started_after_boot = 0;  // In seconds.

  friend bool operator==(const ProcessState&, const ProcessState&) = default;
};

// The units that the numbers of /proc are in.
struct ProcessUnits {
  double ticks_per_second = 100;
  std::uint64_t page_bytes = 4096;
};

// Empty if it is no such text.
std::optional<ProcessState> parse_process_state(std::string_view stat, const ProcessUnits& units);

// Seconds since 1970, by /proc/stat. Empty likewise.
std::optional<double> parse_boot_time(std::string_view stat);

class ProcessWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    metric::Registry& registry;
    ReadFile read;
    Function<std::size_t()> count_open;  // File descriptors.
    std::size_t descriptor_limit;
  };

  explicit ProcessWatch(Parts parts);
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  void look();

  const Parts parts_;
  const ProcessUnits units_;
  metric::Table& cpu_;
  metric::Table& resident_;
  metric::Table& virtual_;
  metric::Table& open_;
  metric::Table& threads_;
  metric::Table& started_;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
