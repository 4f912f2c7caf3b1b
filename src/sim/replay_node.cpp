#include "sim/replay_node.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/sim_loop.h"

namespace petrel::sim {
namespace {

using std::chrono::milliseconds;

// Does what is posted in its order, but not always at once.
class BusyLoop final : public Loop {
 public:
  BusyLoop(World& world, std::uint64_t seed) : world_(world), loop_(world), dice_(seed) {}

  void post(Function<void()> action) override {
    const bool is_busy = dice_.chance(0.1);
    const Duration wait = is_busy ? dice_.spread(Duration(10), milliseconds(200)) : Duration(0);
    free_at_ = std::max(free_at_, world_.now() + wait);
    world_.at(free_at_, [is_alive = std::weak_ptr(is_alive_), action = std::move(action)] {
      if (!is_alive.expired()) action();
    });
  }

  std::unique_ptr<LoopTimer> make_timer() override { return loop_.make_timer(); }

 private:
  World& world_;
  SimLoop loop_;
  Dice dice_;
  MonoTime free_at_{};
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace

ReplayNode::ReplayNode(const Parts& parts, std::uint64_t seed)
    : world_(parts.world), disk_(parts.disk), log_(parts.log), mutant_(parts.mutant), dice_(seed) {}

ReplayNode::~ReplayNode() = default;

void ReplayNode::start() {
  if (is_up()) return;
  log_.add("the process starts");
  loop_ = std::make_unique<BusyLoop>(world_, dice_.seed());
  replayer_ = std::make_unique<replay::Replayer>(replay::TaskRun::Parts{
      .loop = *loop_,
      .clock = world_.clock(),
      .browse = disk_,
      .pool = *this,
      .commit = [this](store::ChangeSet set,
                       Function<void(Status)> done) { commit(std::move(set), std::move(done)); },
      .ask = [this](EndpointId id,
                    std::function<void(replay::Standing)> answer) { ask(id, std::move(answer)); },
      .endpoint = [this](EndpointId id) { return lanes_->endpoint(id); }});
  replayer_->start();
  lanes_->start();
}

void ReplayNode::crash() {
  if (!is_up()) return;
  log_.add("THE PROCESS DIES");
  ++life_;
  replayer_.reset();
  loop_.reset();
  disk_.crash();
  lanes_->crash();
}

Duration ReplayNode::moment() {
  if (dice_.chance(0.02)) return dice_.spread(milliseconds(10), std::chrono::seconds(3));
  return dice_.spread(Duration(10), milliseconds(10));
}

void ReplayNode::later(Duration delay, Function<void()> action) {
  world_.after(delay, [this, life = life_, action = std::move(action)] {
    if (life == life_) action();
  });
}

bool ReplayNode::run(Function<void()> reading) {
  later(moment(), [this, reading = std::move(reading)] {
    disk_.begin_reading();
    reading();
  });
  return true;
}

// The lanes whose deliveries were put back look into the store.
void ReplayNode::commit(store::ChangeSet set, Function<void(Status)> done) {
  std::set<EndpointId> lanes;
  for (const model::Settlement& each : set.settlements) {
    if (each.delivery.is_live()) lanes.insert(each.delivery.key.endpoint);
  }
  for (const store::Change& each : set.changes) {
    if (const auto* added = std::get_if<store::AddDelivery>(&each)) {
      lanes.insert(added->delivery.key.endpoint);
    }
  }
  disk_.change(std::move(set),
               [this, lanes = std::move(lanes), done = std::move(done)](const Status& status) {
                 for (const EndpointId lane : lanes) lanes_->nudge(lane);
                 done(status);
               });
}

// The lane is asked, and its answer arrives, a moment later each.
void ReplayNode::ask(EndpointId id, std::function<void(replay::Standing)> answer) {
  later(moment(), [this, id, answer = std::move(answer)] {
    const bool is_deaf = mutant_ == ReplayMutant::AlwaysTakes;
    const replay::Standing stands = is_deaf ? replay::Standing::Takes : lanes_->ask(id);
    later(moment(), [answer, stands] { answer(stands); });
  });
}

void ReplayNode::wake(const model::Task& task) {
  if (!is_up()) return;
  loop_->post([this, task] { replayer_->wake(task.organisation, task.id); });
}

void ReplayNode::answered(const model::DeliveryKey& delivery, bool is_good) {
  if (!is_up()) return;
  loop_->post([this, delivery, is_good] { replayer_->answered(delivery, is_good); });
}

}  // namespace petrel::sim
