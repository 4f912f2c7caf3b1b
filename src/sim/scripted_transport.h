// ScriptedTransport is the wire and all receivers behind it. Requests take their time to arrive and
// answers to come back; when the process dies, a request that is on its way arrives or not, and no
// answer does.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "engine/transport.h"
#include "sim/dice.h"
#include "sim/ledger.h"
#include "sim/mutant.h"
#include "sim/receiver.h"
#include "sim/scenario.h"
#include "sim/witness.h"
#include "sim/world.h"

namespace petrel::sim {

class ScriptedTransport final : public engine::Transport {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    Ledger& ledger;
    Witness& witness;
    Mutant mutant = Mutant::None;
  };

  ScriptedTransport(const Parts& parts, std::uint64_t seed);

  void send(model::AttemptOrder order, Done done) override;
  void cancel_all() override;

  void crash();

  // All receivers are healthy from now on.
  void heal();

 private:
  struct Out {
    Ledger::TripName name;
    std::uint64_t request = 0;  // As the witness knows it.
    Reply reply;
    Done done;
    bool has_arrived = false;
  };

  void arrive(std::uint64_t number);
  void end(std::uint64_t number);

  World& world_;
  Ledger& ledger_;
  Witness& witness_;
  Mutant mutant_;
  Dice dice_;
  const Scenario& scenario_;
  std::vector<Receiver> receivers_;
  std::unordered_map<EndpointId, std::size_t> places_;
  std::map<std::uint64_t, Out> out_;
  std::uint64_t next_ = 0;
};

}  // namespace petrel::sim
