// ReplayLanes stands in for the engine in a simulation of replays: endpoints that take something or
// not, and what becomes of deliveries that were put back on their lanes.
//
// As the engine does, it sees what is on disk when it is nudged and when the process starts, tells
// how the first attempt of what a person sent again has ended, and lets a delivery's times only
// grow, whatever the wall clock does.
//
// Thread: confined.

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/ksuid.h"
#include "model/endpoint.h"
#include "replay/task_run.h"
#include "sim/dice.h"
#include "sim/replay_disk.h"
#include "sim/replay_log.h"
#include "sim/replay_scenario.h"

namespace petrel::sim {

class ReplayLanes {
 public:
  struct Parts {
    World& world;
    const ReplayScenario& scenario;
    ReplayDisk& disk;
    ReplayLog& log;
    std::function<void(const model::DeliveryKey&, bool is_good)> answered;
    std::function<void(EndpointId)> stopped;  // It takes nothing from now on.
  };

  ReplayLanes(Parts parts, std::uint64_t seed);

  // Deliveries in all states, from before the simulation begins.
  void stock();

  ApplicationId application() const { return application_; }
  const std::vector<EndpointId>& endpoints() const { return ids_; }
  const std::vector<MessageId>& messages() const { return messages_; }

  replay::Standing standing(EndpointId id) const { return lanes_[place_of(id)].standing; }

  // The same to one who asks; it may change the next moment.
  replay::Standing ask(EndpointId id);

  std::shared_ptr<const model::Endpoint> endpoint(EndpointId id) const;
  const model::Endpoint& record(EndpointId id) const { return *lanes_[place_of(id)].endpoint; }
  void nudge(EndpointId id);

  // The process begins, or is gone.
  void start();
  void crash();

  void post_message();
  void stop(EndpointId id, Duration length);
  void remove(EndpointId id);
  void heal();

 private:
  struct Lane {
    std::shared_ptr<model::Endpoint> endpoint;
    replay::Standing standing = replay::Standing::Takes;
    int stops = 0;  // So many are under way.
  };
  using InHand = std::pair<model::DeliveryKey, WallTime>;

  std::size_t place_of(EndpointId id) const;
  MessageId accept(WallTime at);
  void draw_past(const model::DeliveryKey& key);
  void plan(const model::Delivery& delivery);
  void attempt(const InHand& what);
  void settle(const model::Delivery& before, bool is_good);
  void later(Duration delay, std::function<void()> action);

  World& world_;
  const ReplayScenario& scenario_;
  ReplayDisk& disk_;
  ReplayLog& log_;
  std::function<void(const model::DeliveryKey&, bool)> answered_;
  std::function<void(EndpointId)> stopped_;
  Dice dice_;
  SeededSecureRandom random_;
  KsuidMaker maker_;
  ApplicationId application_;
  std::vector<Lane> lanes_;
  std::vector<EndpointId> ids_;  // Of the lanes, in their order.
  std::vector<MessageId> messages_;
  std::set<InHand> in_hand_;
  int life_ = 0;
  bool is_up_ = false;
  bool is_well_ = false;  // All answers are good and prompt.
};

}  // namespace petrel::sim
