// DescriptorWatch tells the operator when file descriptors run short: in the log once when
// it begins and once when it is over, in /health while it lasts, and in the metrics.
//
//   petrel_descriptors_open, petrel_descriptors_limit     of the process
//   petrel_connections{use="accepted|outgoing|idle"}      idle ones are outgoing, too
//   petrel_connections_evicted_total                      idle ones closed to make room for others
//   petrel_descriptor_shortages_total                     times that a connection found no
//   descriptor
//
// Closing idle connections is how it should be; short is when there was none to close.
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
#include "dispatch/idle_connections.h"
#include "metric/registry.h"
#include "net/descriptor_budget.h"

namespace petrel::app {

class DescriptorWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  // Without a shortage for so long, it is over.
  static constexpr Duration kOver = std::chrono::seconds(15);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    metric::Registry& registry;
    const net::DescriptorBudget& budget;
    const dispatch::IdleConnections& idle;
    std::size_t limit;
    Function<std::size_t()> count_open;
    Function<void(const std::string&)> complain;
  };

  explicit DescriptorWatch(Parts parts);
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

  // A sentence while they are short. On any thread.
  std::vector<std::string> problems() const;

 private:
  void look();
  void show(const net::DescriptorBudget::Counts& counts);

  const Parts parts_;
  metric::GaugeFamily& connections_;
  metric::Gauge& open_;
  metric::Counter& evicted_;
  metric::Counter& shortages_;
  net::DescriptorBudget::Counts seen_;
  MonoTime short_at_{};
  std::atomic<bool> is_short_{false};
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::app
