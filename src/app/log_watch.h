// LogWatch has the log say, every second, what it has left out and dropped, and shows it in the
// metrics:
//
//   petrel_log_lines_dropped_total    lines that stderr did not take
//   petrel_log_lines_left_out_total   lines that were too many of their kind
//
// Thread: confined to its loop.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "app/stderr_log.h"
#include "base/clock.h"
#include "base/loop.h"
#include "metric/registry.h"

namespace petrel::app {

class LogWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    metric::Registry& registry;
    StderrLog& log;
  };

  explicit LogWatch(const Parts& parts);
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;

 private:
  void look();

  const Parts parts_;
  metric::Counter& dropped_;
  metric::Counter& left_out_;
  std::uint64_t dropped_seen_ = 0;
  std::uint64_t left_out_seen_ = 0;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
