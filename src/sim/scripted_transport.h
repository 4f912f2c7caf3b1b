// ScriptedTransport is the wire and all receivers behind it. Answers take their time to come back;
// when the process dies, none does.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "engine/transport.h"
#include "sim/dice.h"
#include "sim/fault.h"
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
    FaultCounts& faults;
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
    std::uint64_t request = 0;  // As the witness knows it.
    Reply reply;
    Done done;
    model::Payload payload;
  };

  std::size_t payload_bytes(const model::Payload& next) const;

  void end(std::uint64_t number);

  World& world_;
  FaultCounts& faults_;
  Witness& witness_;
  Mutant mutant_;
  Dice dice_;
  std::vector<Receiver> receivers_;
  std::unordered_map<EndpointId, std::size_t> places_;
  std::map<std::uint64_t, Out> out_;
  std::uint64_t next_ = 0;
};

}  // namespace petrel::sim
