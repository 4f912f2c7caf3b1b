// Producers post the messages of a scenario and, as long as they have an idempotency key, post them
// again until they hear that they were accepted.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <vector>

#include "sim/dice.h"
#include "sim/fault.h"
#include "sim/scenario.h"
#include "sim/sim_node.h"
#include "sim/world.h"

namespace petrel::sim {

class Producers {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    SimNode& node;
    FaultCounts& faults;
  };

  Producers(const Parts& parts, std::uint64_t seed);

  // Plans all posts.
  void begin();

  // Nobody waits any more to hear that its message was accepted.
  bool are_done() const { return waiting_ == 0; }

 private:
  struct Post {
    bool is_done = false;
    int tries = 0;
    std::optional<WallTime> deliver_at = std::nullopt;
  };

  void post(std::size_t number);
  void told(std::size_t number, const Result<store::Accepted>& answer);
  void post_again(std::size_t number);
  void repeat(std::size_t number, int times);
  void reuse_key(std::size_t number);
  void finish(std::size_t number);

  Parts parts_;
  Dice dice_;
  std::vector<Post> posts_;
  std::size_t waiting_ = 0;
};

}  // namespace petrel::sim
