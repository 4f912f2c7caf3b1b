// DiskWatch measures how much disk the store takes and holds it against `disk-max`.
//
//   from  90 %   a warning: in the log once, in /health while it lasts, in the metrics
//   from 100 %   no more messages are taken: producers are told to come back. Deliveries go on, and
//                retention goes on making room
//
// Both end by themselves as soon as the store takes less.
//
//   petrel_store_bytes      of the files in the store's folder
//   petrel_store_files_bytes{kind="tables|log|other"}
//   petrel_disk_free_bytes  of the disk that the folder is on
//   petrel_disk_max_bytes   0: no limit
//   petrel_disk_full        1 while no messages are taken for it, else 0
//
// Thread: confined to its loop, but for problems() and may_accept().

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "base/result.h"
#include "metric/registry.h"

namespace petrel::app {

enum class DiskLevel : std::uint8_t { Fine, Scarce, Full };

// Without a maximum (0) it is always fine.
DiskLevel level_of(std::uint64_t bytes, std::uint64_t bytes_max);

struct DiskUse {
  std::uint64_t table_bytes = 0;
  std::uint64_t log_bytes = 0;  // What was written last, ahead of the tables.
  std::uint64_t other_bytes = 0;
  std::uint64_t free_bytes = 0;  // That the disk has left for us.

  std::uint64_t store_bytes() const { return table_bytes + log_bytes + other_bytes; }
};

// What the files in a folder and below it take. What goes away meanwhile counts for nothing.
DiskUse disk_use(const std::string& folder);

class DiskWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(2);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    BlockingPool& pool;
    metric::Registry& registry;
    std::uint64_t bytes_max;      // 0: no limit.
    Function<DiskUse()> measure;  // On a thread of the pool.
    Function<void(const std::string&)> complain;
  };

  explicit DiskWatch(Parts parts);
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  // A sentence while it is scarce or full. On any thread.
  std::vector<std::string> problems() const;

  // Unavailable, with a sentence for the producer, while it is full. On any thread.
  Status may_accept() const;

 private:
  void look();
  void measured(const DiskUse& use);

  const Parts parts_;
  metric::Gauge& bytes_gauge_;
  metric::Gauge& full_gauge_;
  metric::GaugeFamily& files_;
  metric::Gauge& free_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<DiskLevel> level_{DiskLevel::Fine};
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
