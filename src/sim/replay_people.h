// ReplayPeople ask for replays, pause and resume and cancel them, and send single deliveries again,
// as the API does it for them.
//
// Thread: confined.

#pragma once

#include <vector>

#include "base/ksuid.h"
#include "sim/dice.h"
#include "sim/replay_lanes.h"
#include "sim/replay_node.h"
#include "sim/replay_scenario.h"

namespace petrel::sim {

class ReplayPeople {
 public:
  struct Parts {
    World& world;
    const ReplayScenario& scenario;
    ReplayDisk& disk;
    ReplayLanes& lanes;
    ReplayNode& node;
    ReplayLog& log;
  };

  ReplayPeople(const Parts& parts, std::uint64_t seed);

  OrganisationId organisation() const { return organisation_; }

  // A new task, drawn.
  void begin_task();

  // One of the tasks is paused, resumed or cancelled, if it may be.
  void edit();

  void resend();

  // Does one of these to what a task is just about to write.
  void meddle(const store::ChangeSet& set);

  // All that is paused goes on, but for every third.
  void resume_most();

 private:
  struct Wish {
    TaskId task;
    model::TaskState from;
    model::TaskState to;
    int attempts = 0;
  };

  model::Task draw_task();
  void draw_filters(model::Task& task);
  void attempt(const Wish& wish);
  void change(const Wish& wish, model::Task task);
  void send_again(const model::DeliveryKey& key);

  World& world_;
  const ReplayScenario& scenario_;
  ReplayDisk& disk_;
  ReplayLanes& lanes_;
  ReplayNode& node_;
  ReplayLog& log_;
  Dice dice_;
  SeededSecureRandom random_;
  KsuidMaker maker_;
  OrganisationId organisation_;
  std::vector<TaskId> tasks_;
};

}  // namespace petrel::sim
