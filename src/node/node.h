// Node is what makes a running server out of the rooms below: it places lanes, hands deliveries
// over, carries out changes and tasks, starts from what is on disk, and stops in order.
//
// It stands on Seams and on N+1 loops. It owns no thread and no socket, and it never waits: start()
// reads, drain() is asynchronous, and being destroyed at any moment is a crash like any other.
//
// Thread: start() and destruction on one thread; the rest on any.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "base/function.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "engine/core.h"
#include "engine/ongoing_attempts.h"
#include "engine/payload_shelf.h"
#include "node/change_effects.h"
#include "node/changes.h"
#include "node/delivery_actions.h"
#include "node/drain.h"
#include "node/lane_router.h"
#include "node/lane_setup.h"
#include "node/open_circuits.h"
#include "node/pauses.h"
#include "node/purger.h"
#include "node/quarantine.h"
#include "node/recovery.h"
#include "node/revoked_tokens.h"
#include "node/seams.h"
#include "node/services.h"
#include "node/shard.h"
#include "node/shared_rates.h"
#include "node/tasks.h"

namespace petrel::node {

struct NodeSettings {
  LaneDefaults lanes;
  engine::CoreSettings core;           // All shards share its slots.
  model::RetentionSettings retention;  // Where an application has none of its own.
  Duration last_commit = std::chrono::seconds(10);
  std::string version = "0";  // Of Petrel: what crashed an older one may go again.

  // Of how many endpoints the metrics show how they do, each kind of figure of those that it is
  // worst for.
  std::size_t endpoints_shown = 20;

  // What is in flight may take up. Null: no bound.
  std::shared_ptr<MemoryBudget> memory = nullptr;
};

class Node final : private ShardEvents {
 public:
  // Takes up what the store holds. If it fails, nothing runs.
  static Result<std::unique_ptr<Node>> start(const Seams& seams, NodeLoops loops,
                                             const NodeSettings& settings);

  // REQUIRES: its loops turn no more, and the store's answers are over or dropped.
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Services services(std::size_t shard);
  const RevokedTokens& revoked() const { return revoked_; }
  const Quarantine& quarantine() const { return quarantine_; }

  // The store was away and is back: what was answered as Unavailable may have been written all the
  // same, so lanes and tasks look again.
  void store_returned();

  // Starts no more attempts, lets those that are out end for at most `grace`, and has everything
  // settled. `drained` comes on the control loop, at the latest after `grace` and `last_commit`.
  // Once.
  void drain(Duration grace, Function<void()> drained);

  // What all shards share. On any thread.
  const engine::SlotBudget& slots() const { return *settings_.core.budget; }

  // For the metrics: what the lanes of all shards come to. On any thread.
  ShardFigures figures() const { return board_.sum(); }

  // For who looks on, on the shard's loop.
  const engine::Core& core(std::size_t shard) const { return shards_[shard]->core(); }

 private:
  Node(const Seams& seams, NodeLoops loops, const NodeSettings& settings);

  void make_shards();
  void claim(Recovery recovery);
  void look(const std::vector<EndpointId>& endpoints);
  void pause_wanted(const engine::PauseCommand& pause) override;
  void answered(const model::DeliveryKey& delivery, std::optional<bool> is_good) override;
  void suspect_cleared(const model::DeliveryKey& delivery) override;

  const Seams seams_;
  const NodeLoops loops_;
  const NodeSettings settings_;
  RevokedTokens revoked_;
  SharedRates rates_;
  AuthorityLimits limits_;
  OpenCircuits circuits_;
  engine::OngoingAttempts ongoing_;
  engine::SuspectList suspects_;
  const std::shared_ptr<MemoryBudget> memory_;  // Shared with all that is held in it.
  engine::PayloadShelf payloads_;
  FigureBoard board_;
  LaneRouter router_;
  Tasks tasks_;
  ChangeEffects effects_;
  Changes changes_;
  Quarantine quarantine_;
  DeliveryActions deliveries_;
  Pauses pauses_;
  Purger purger_;
  std::vector<std::unique_ptr<Shard>> shards_;
  Alarms alarms_;  // On the control loop.
  Drain drain_;
};

}  // namespace petrel::node
