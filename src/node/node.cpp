#include "node/node.h"

#include <algorithm>
#include <utility>

namespace petrel::node {
namespace {

// When too much waits to be read at once.
constexpr Duration kLookAgain = std::chrono::seconds(1);

engine::CoreSettings share_of(engine::CoreSettings settings, std::size_t shards) {
  settings.slots = std::max(1, settings.slots / static_cast<int>(shards));
  return settings;
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(const Seams& seams, NodeLoops loops,
                                          const NodeSettings& settings) {
  std::unique_ptr<Node> node(new Node(seams, std::move(loops), settings));
  Result<Recovery> recovery = recover(seams, node->revoked_);
  if (!recovery.ok()) return recovery.error();
  node->claim(*std::move(recovery));
  return node;
}

Node::Node(const Seams& seams, NodeLoops loops, const NodeSettings& settings)
    : seams_(seams),
      loops_(std::move(loops)),
      settings_(settings),
      limits_(seams_.catalogue, settings_.lanes),
      router_({seams.catalogue, circuits_, ongoing_}),
      tasks_({seams_, loops_.control, router_, router_}),
      effects_({.control = loops_.control,
                .clock = seams.clock,
                .pool = seams.pool,
                .browse = seams.browse,
                .catalogue = seams.catalogue,
                .revoked = revoked_,
                .rates = rates_,
                .limits = limits_,
                .lanes = router_,
                .tasks = tasks_}),
      changes_({.control = loops_.control,
                .clock = seams.clock,
                .store = seams.store,
                .catalogue = seams.catalogue,
                .effects = effects_}),
      deliveries_({.control = loops_.control,
                   .clock = seams.clock,
                   .pool = seams.pool,
                   .store = seams.store,
                   .browse = seams.browse,
                   .lanes = router_,
                   .changes = changes_}),
      pauses_(loops_.control, seams.clock, changes_),
      alarms_(loops_.control),
      drain_({loops_.control, seams.clock, router_, tasks_, settings.last_commit}) {
  std::vector<Mailbox<ShardMail>*> mailboxes;
  for (const ShardSeams& own : loops_.shards) {
    shards_.push_back(std::make_unique<Shard>(Shard::Parts{.index = shards_.size(),
                                                           .seams = seams_,
                                                           .own = own,
                                                           .defaults = settings_.lanes,
                                                           .rates = rates_,
                                                           .circuits = circuits_,
                                                           .ongoing = ongoing_,
                                                           .router = router_,
                                                           .events = *this},
                                              share_of(settings.core, loops_.shards.size())));
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
  for (AuthorityCap& each : limits_.load()) {
    router_.send_to_authority(each.authority, AuthorityCapChanged{each.authority, each.cap, {}});
  }
  look(recovery.with_work);
  look(in_ramp);  // A ramp ends also where nothing is to be sent.
  loops_.control.post([this] { tasks_.start(changes_); });
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
          .intake = shards_[shard]->intake(),
          .changes = changes_,
          .lanes = router_,
          .deliveries = deliveries_,
          .tasks = tasks_,
          .revoked = revoked_};
}

void Node::drain(Duration grace, Function<void()> drained) {
  drain_.begin(grace, std::move(drained));
}

void Node::pause_wanted(const engine::PauseCommand& pause) { pauses_.want(pause); }

void Node::answered(const model::DeliveryKey& delivery, std::optional<bool> is_good) {
  tasks_.answered(delivery, is_good);
}

}  // namespace petrel::node
