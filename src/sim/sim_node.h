// SimNode is the server as a simulated process: the real Runner and Core on a SimLoop, with an
// intake in front that keeps the real one's rules. It can die at any moment, and starts again from
// nothing but what is on disk.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "engine/runner.h"
#include "model/held_time.h"
#include "sim/dice.h"
#include "sim/faulty_store.h"
#include "sim/ledger.h"
#include "sim/mutant.h"
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
};

class SimNode {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    FaultyStore& store;
    store::MemoryStore& disk;
    ScriptedTransport& transport;
    Ledger& ledger;
    Mutant mutant = Mutant::None;
  };

  SimNode(const Parts& parts, std::uint64_t seed);

  // Has no effect if it is up.
  void start();

  // Has no effect if it is down.
  void crash();

  // Stops as a well-behaved process does, and starts again after `pause`.
  void restart(Duration pause);

  // Answered when the message is on disk, with Unavailable if it may not be, and not at all if the
  // process dies meanwhile.
  using Told = std::function<void(Result<store::Accepted>)>;
  void accept(const Request& request, Told told);

  void pause(std::size_t endpoint);
  void resume(std::size_t endpoint);
  void resume_all();
  void change(std::size_t endpoint);

  // Null while it is down.
  const engine::Core* core() const { return life_ ? &life_->runner.core() : nullptr; }

 private:
  // What does not outlive the process.
  struct Life {
    Life(SimNode& node, std::uint64_t seed);

    SimLoop loop;
    engine::OngoingAttempts ongoing;
    engine::Runner runner;
    KsuidMaker ids;
  };

  // What an operator has set, which is on disk.
  struct Settings {
    bool is_paused = false;
    model::HeldTime held;
    int in_flight_max = 0;
    std::optional<int> throttle_rate;
  };

  engine::Runner::Listeners listeners();
  engine::LaneConfig config_of(std::size_t endpoint) const;
  store::Acceptance plan(const Request& request);
  void conclude(const store::Acceptance& acceptance,
                const Result<std::vector<store::Accepted>>& answers);
  void introduce(const store::Acceptance& acceptance, store::Sequence sequence);
  bool are_others_sending(const store::Acceptance& acceptance) const;
  void feed(const store::Acceptance& acceptance, store::Sequence sequence);
  void nudge(const store::Acceptance& acceptance);
  store::Acceptance delivered_of(store::Acceptance acceptance) const;  // Only what is delivered.
  void configure(std::size_t endpoint);
  void set_paused(std::size_t endpoint, bool is_paused);

  Parts parts_;
  Dice dice_;
  SeededSecureRandom secure_random_;
  std::vector<Settings> settings_;
  std::unordered_map<EndpointId, std::size_t> places_;
  std::unordered_map<EndpointId, store::KeptLane> kept_lanes_;  // When it last started.
  std::unique_ptr<Life> life_;
  int lives_ = 0;
};

}  // namespace petrel::sim
