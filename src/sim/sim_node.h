// SimNode is the real node (node::Node) in a simulated world: on its loops, its wire and its disk.
// It can die at any moment, and starts again from nothing but what is on disk.
//
// People and producers reach it as the API would: by its intake and its changes.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/blocking_pool.h"
#include "base/secure_random.h"
#include "engine/hand_note.h"
#include "log/log.h"
#include "metric/metrics.h"
#include "node/node.h"
#include "sim/dice.h"
#include "sim/disk.h"
#include "sim/fault.h"
#include "sim/faulty_store.h"
#include "sim/mutant.h"
#include "sim/node_view.h"
#include "sim/scenario.h"
#include "sim/scripted_transport.h"
#include "sim/sim_loop.h"

namespace petrel::sim {

// A post as it comes in.
struct Request {
  std::size_t post = 0;
  std::size_t application = 0;
  bool has_key = true;
  bool is_other_body = false;
  std::optional<WallTime> deliver_at = std::nullopt;
};

class SimNode {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    FaultyStore& store;
    Disk& disk;
    ScriptedTransport& transport;
    FaultCounts& faults;
    Witness& witness;
    Mutant mutant = Mutant::None;
  };

  // Puts the scenario's applications and endpoints on the disk.
  SimNode(const Parts& parts, std::uint64_t seed);

  // Has no effect if it is up. While the disk cannot be read it is tried again each second.
  void start();

  // Has no effect if it is down.
  void crash();

  // Stops as a well-behaved process does, and starts again after `pause`.
  void restart(Duration pause);

  // Answered when the message is on disk, with Unavailable if it may not be, and not at all if the
  // process dies meanwhile.
  using Told = std::function<void(Result<store::Accepted>)>;
  void accept(const Request& request, Told told);

  // What people do. They try again until they are told that it is done.
  void pause(std::size_t endpoint);
  void resume(std::size_t endpoint);
  void resume_all();
  void change(std::size_t endpoint, std::optional<int> in_flight_max = std::nullopt);
  void move(std::size_t endpoint);  // To another URL.
  void erase(std::size_t endpoint);
  void order(std::size_t endpoint);  // Its circuit to be probed or closed.
  void resend(std::size_t endpoint);
  void expunge(std::optional<MessageId> message);                // Some message if empty.
  void limit(std::size_t application, std::optional<int> rate);  // All its endpoints together.
  void resend(std::size_t endpoint, MessageId message);
  void close(std::size_t endpoint);  // Its circuit.
  void disable(std::size_t endpoint);
  void enable(std::size_t endpoint);

  // What the node offers to those who do more than that; see SimTasks.
  bool is_up() const { return life_ != nullptr; }
  node::Services services() { return life_->node->services(0); }  // REQUIRES: it is up.

  std::size_t place_of(EndpointId endpoint) const { return places_.at(endpoint); }

  // The catalogue as the node shows it, record by record, and as the disk has it.
  judge::Dump dump() const;

  // How often its loops did something, in this life.
  std::uint64_t turns() const;

  // Null while it is down.
  const NodeView* view() const { return life_ ? &*life_->view : nullptr; }

 private:
  class Pool;

  // What does not outlive the process.
  struct Life {
    Life(SimNode& own, std::size_t shards);
    ~Life();

    SimLoop control;
    std::vector<std::unique_ptr<SimLoop>> loops;
    std::unique_ptr<BlockingPool> pool;
    metric::Metrics metrics{"simulated"};
    log::CountingLog log;
    store::Catalogue catalogue;
    std::unique_ptr<node::Node> node;
    std::optional<NodeView> view;
    bool is_stopping = false;
  };

  // A person asks until the answer is certain, also after a crash, and if nobody answers.
  // `carry_out` hands it to the node, once per try.
  using Answer = std::function<void(const Status&)>;
  using CarryOut = std::function<void(const node::Services&, std::uint64_t number, Answer)>;
  void ask(const judge::Asked& asked, const CarryOut& carry_out);

  // An act that is a change of the catalogue.
  using Decide = std::function<Result<store::ChangeSet>()>;
  void ask(const judge::Asked& asked, const node::Changes::Turn& turn, const Decide& decide);

  judge::Asked about(judge::Act act, std::size_t endpoint, std::string json = {}) const;

  using Edit = std::function<void(model::Endpoint&)>;

  model::Endpoint record_of(const EndpointPlan& plan);
  node::NodeSettings settings() const;
  // What a person asks for.
  struct Wish {
    judge::Act act = judge::Act::ChangeEndpoint;
    std::string json = {};
    Edit edit;
  };
  void edit(std::size_t endpoint, const Wish& wish);
  void order(std::size_t endpoint, node::LaneOrder order);
  void written(const model::Endpoint& endpoint);
  bool is_shown(ApplicationId application, EndpointId endpoint) const;
  bool are_others_sending(const store::Acceptance& acceptance) const;
  void stopped(Duration pause);
  void end_life(bool has_drained);

  Parts parts_;
  Dice dice_;
  SeededSecureRandom secure_random_;
  engine::HandNote note_;
  std::unordered_map<EndpointId, std::size_t> places_;
  std::unique_ptr<Life> life_;
  std::vector<std::pair<ApplicationId, MessageId>> accepted_;
  int lives_ = 0;
};

}  // namespace petrel::sim
