// MemoryWatch tells the operator when memory runs short: in the log once when it begins and
// once when it is over, in /health while it lasts, and in the metrics. And it has memory that was
// freed given back to the system.
//
//   petrel_memory_max_bytes                       what may be in flight
//   petrel_memory_used_bytes{use="requests|…"}    what is
//   petrel_memory_refused_total{use="requests|…"} refused to clients; of payloads: put off
//   petrel_memory_resident_bytes                  what the process takes of the machine's
//
// Thread: confined to its loop, but for problems().

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "base/memory_budget.h"
#include "metric/registry.h"

namespace petrel::app {

class MemoryWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  // Without a refusal for so long, it is over.
  static constexpr Duration kOver = std::chrono::seconds(15);

  // When so much less is used than at the last peak, what is free is given back.
  static constexpr std::size_t kReturnedMin = std::size_t{16} << 20U;

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    metric::Registry& registry;
    const MemoryBudget& budget;
    Function<std::size_t()> resident;
    Function<bool()> return_free;  // Elsewhere, as it takes long. False: not now.
    Function<void(const std::string&)> complain;
  };

  explicit MemoryWatch(Parts parts);
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // A sentence while it is short. On any thread.
  std::vector<std::string> problems() const;

 private:
  void look();
  void show(const MemoryBudget::Counts& counts);
  void return_what_is_free(std::size_t used);

  const Parts parts_;
  metric::GaugeFamily& used_;
  metric::CounterFamily& refused_;
  metric::Gauge& resident_;
  MemoryBudget::Counts seen_;
  std::size_t peak_ = 0;  // Since memory was last given back.
  MonoTime short_at_{};
  std::atomic<bool> is_short_{false};
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
