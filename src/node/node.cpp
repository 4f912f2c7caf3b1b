#include "node/node.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace petrel::node {
namespace {

// When too much waits to be read at once.
constexpr Duration kLookAgain = std::chrono::seconds(1);

// Each shard has a run of the note's places of its own.
engine::NotePlaces places_of(const engine::InFlightNote& note, std::size_t shard,
                             std::size_t shards) {
  const std::size_t count = note.places() / shards;
  return {.first = shard * count, .count = count};
}

// What waits in memory for its turn without being sent may have so much of it together: it may wait
// for days.
constexpr std::size_t kWaitingPart = 8;

// All shards draw from the same budgets, of slots and of memory.
NodeSettings with_budgets(NodeSettings settings, std::size_t shards) {
  engine::CoreSettings& core = settings.core;
  core.budget = std::make_shared<engine::SlotBudget>(core.slots, shards, core.first_percent);
  if (!settings.memory) settings.memory = MemoryBudget::unlimited();
  core.payload_bytes_max =
      std::min(core.payload_bytes_max, settings.memory->max() / kWaitingPart / shards);
  return settings;
}

engine::CoreSettings for_shard(engine::CoreSettings settings, std::size_t shard) {
  settings.shard = shard;
  return settings;
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(const Seams& seams, NodeLoops loops,
                                          const NodeSettings& settings) {
  std::unique_ptr<Node> node(new Node(seams, std::move(loops), settings));
  Result<Recovery> recovery = recover(seams, node->revoked_);
  if (!recovery.ok()) return recovery.error();
  if (Status recalled = node->quarantine_.recall(); !recalled.ok()) return recalled.error();
  node->claim(*std::move(recovery));
  return node;
}

Node::Node(const Seams& seams, NodeLoops loops, const NodeSettings& settings)
    : seams_(seams),
      loops_(std::move(loops)),
      settings_(with_budgets(settings, loops_.shards.size())),
      limits_(seams_.catalogue, settings_.lanes, settings_.core.in_flight_per_authority),
      memory_(settings_.memory),
      payloads_(memory_),
      board_(loops_.shards.size()),
      router_({seams.catalogue, circuits_, ongoing_, suspects_}),
      tasks_({seams_, loops_.control, router_, router_}),
      effects_({.control = loops_.control,
                .clock = seams.clock,
                .pool = seams.pool,
                .browse = seams.browse,
                .catalogue = seams.catalogue,
                .revoked = revoked_,
                .rates = rates_,
                .payloads = payloads_,
                .limits = limits_,
                .lanes = router_,
                .tasks = tasks_,
                .log = seams.log}),
      changes_({.control = loops_.control,
                .clock = seams.clock,
                .store = seams.store,
                .catalogue = seams.catalogue,
                .effects = effects_}),
      quarantine_({.control = loops_.control,
                   .clock = seams.clock,
                   .pool = seams.pool,
                   .browse = seams.browse,
                   .catalogue = seams.catalogue,
                   .note = seams.note,
                   .list = suspects_,
                   .lanes = router_,
                   .changes = changes_,
                   .metrics = seams.metrics,
                   .log = seams.log,
                   .version = settings.version}),
      deliveries_({.control = loops_.control,
                   .clock = seams.clock,
                   .pool = seams.pool,
                   .store = seams.store,
                   .browse = seams.browse,
                   .lanes = router_,
                   .changes = changes_}),
      pauses_(loops_.control, seams.clock, changes_),
      purger_({seams_, loops_.control, settings_.retention}),
      alarms_(loops_.control),
      drain_({loops_.control, seams.clock, router_, tasks_, settings.last_commit}) {
  make_shards();
}

void Node::make_shards() {
  std::vector<Mailbox<ShardMail>*> mailboxes;
  engine::CoreSettings core = settings_.core;
  core.suspects = &suspects_;
  for (const ShardSeams& own : loops_.shards) {
    shards_.push_back(std::make_unique<Shard>(
        Shard::Parts{.index = shards_.size(),
                     .seams = seams_,
                     .own = own,
                     .defaults = settings_.lanes,
                     .rates = rates_,
                     .circuits = circuits_,
                     .ongoing = ongoing_,
                     .suspects = suspects_,
                     .note_places = places_of(seams_.note, shards_.size(), loops_.shards.size()),
                     .memory = *memory_,
                     .payloads = payloads_,
                     .router = router_,
                     .events = *this,
                     .board = board_,
                     .endpoints_shown = settings_.endpoints_shown},
        for_shard(core, shards_.size())));
    mailboxes.push_back(&shards_.back()->mailbox());
  }
  router_.connect(std::move(mailboxes));
}

Node::~Node() = default;

void Node::claim(Recovery recovery) {
  std::vector<Shard::KeptLanes> kept(shards_.size());
  std::vector<EndpointId> in_ramp;
  for (auto& [endpoint, lane] : recovery.kept_lanes) {
    if (const auto shard = router_.shard_of(endpoint)) {
      if (lane.snapshot.ramp.is_active) in_ramp.push_back(endpoint);
      kept[*shard].emplace(endpoint, std::move(lane));
    }
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) shards_[i]->keep(std::move(kept[i]));
  for (LimitOf& each : limits_.load()) {
    router_.send_to_authority(each.authority,
                              AuthorityLimitChanged{each.authority, each.limit, {}});
  }
  look(recovery.with_work);
  look(in_ramp);  // A ramp ends also where nothing is to be sent.
  loops_.control.post([this] {
    quarantine_.begin();
    tasks_.start(changes_);
    purger_.start();
  });
}

void Node::look(const std::vector<EndpointId>& endpoints) {
  for (const EndpointId endpoint : endpoints) router_.send_to(endpoint, LaneLook{endpoint});
}

void Node::store_returned() {
  // If it cannot be read, the store has failed again, and will say when it is back.
  const bool is_taken = seams_.pool.run([this] {
    const Result<std::vector<EndpointId>> live = seams_.store.endpoints_with_live();
    if (!live.ok()) return;
    look(*live);
    loops_.control.post([this] {
      if (!drain_.has_begun()) tasks_.start(changes_);
    });
  });
  if (is_taken) return;
  loops_.control.post(
      [this] { alarms_.at(seams_.clock.mono() + kLookAgain, [this] { store_returned(); }); });
}

Services Node::services(std::size_t shard) {
  return {.loop = loops_.shards[shard].loop,
          .clock = seams_.clock,
          .random = seams_.random,
          .pool = seams_.pool,
          .metrics = seams_.metrics,
          .browse = seams_.browse,
          .catalogue = seams_.catalogue,
          .memory = *memory_,
          .intake = shards_[shard]->intake(),
          .changes = changes_,
          .lanes = router_,
          .deliveries = deliveries_,
          .quarantine = quarantine_,
          .tasks = tasks_,
          .revoked = revoked_,
          .log = seams_.log};
}

void Node::drain(Duration grace, Function<void()> drained) {
  loops_.control.post([this] { purger_.stop(); });
  drain_.begin(grace, std::move(drained));
}

void Node::pause_wanted(const engine::PauseCommand& pause) { pauses_.want(pause); }

void Node::answered(const model::DeliveryKey& delivery, std::optional<bool> is_good) {
  tasks_.answered(delivery, is_good);
}

void Node::suspect_cleared(const model::DeliveryKey& delivery) { quarantine_.cleared(delivery); }

}  // namespace petrel::node
