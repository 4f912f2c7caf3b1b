// QueueWatch shows in the metrics what waits, what is in flight, how the endpoints do, and which of
// them do worst:
//
//   petrel_queue_depth{class="fresh|retry"}            live deliveries, also those on disk alone
//   petrel_dead_letters{reason="…"}                    that are kept
//   petrel_oldest_due_seconds{circuit="closed|open"}   for how long the oldest has been due
//   petrel_in_flight                                   attempts
//   petrel_lanes                                       endpoints that something is in memory for
//   petrel_circuit_state{state="closed|open|half_open"}
//   petrel_endpoints{state="active|paused|disabled"}
//   petrel_endpoint_queue_depth{endpoint="…"}          of the deepest queues, and the rest
//   petrel_endpoint_failures{endpoint="…"}             of those that fail most, and the rest
//
// It asks what is known without a look at the disk, once a second. What walks over all endpoints it
// does every few seconds, on a thread of the pool.
//
// Thread: confined to its loop.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "metric/registry.h"
#include "node/shard_figures.h"
#include "store/browse.h"
#include "store/catalogue.h"

namespace petrel::app {

class QueueWatch {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);
  static constexpr Duration kWalkEvery = std::chrono::seconds(5);

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    BlockingPool& pool;
    metric::Registry& registry;
    store::Browse& browse;
    const store::Catalogue& catalogue;
    Function<node::ShardFigures()> figures;
    std::size_t endpoints_shown;  // 0: none, nor a rest.
  };

  explicit QueueWatch(Parts parts);
  QueueWatch(const QueueWatch&) = delete;
  QueueWatch& operator=(const QueueWatch&) = delete;

 private:
  struct Endpoints {
    std::size_t active = 0;
    std::size_t paused = 0;
    std::size_t disabled = 0;
    std::vector<store::QueueDepth> deepest = {};

    std::size_t all() const { return active + paused + disabled; }
  };

  void look();
  void walk();
  void walked(Endpoints found);
  Endpoints count() const;
  void show(const store::EndpointTally& tally);
  void show(const node::ShardFigures& figures);
  void show_endpoints(const store::EndpointTally& tally, node::ShardFigures figures);

  const Parts parts_;
  metric::GaugeFamily& depth_;
  metric::GaugeFamily& dead_;
  metric::Table& oldest_;
  metric::Gauge& in_flight_;
  metric::Gauge& lanes_;
  metric::GaugeFamily& circuits_;
  metric::GaugeFamily& endpoints_;
  metric::Table& deepest_;
  metric::Table& failing_;
  Endpoints walked_;  // As of the last walk.
  std::unique_ptr<LoopTimer> look_timer_;
  std::unique_ptr<LoopTimer> walk_timer_;
};

}  // namespace petrel::app
