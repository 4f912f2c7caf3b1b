// SimTasks is what people do with tasks on a simulated day: they begin, pause, resume and cancel
// them as the API has it done (api/routes/task_start.cpp, task_routes.cpp), and send single
// deliveries by hand that a task is about to come to. Whoever asks does so until the answer is
// certain.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "model/task.h"
#include "sim/dice.h"
#include "sim/disk.h"
#include "sim/fault.h"
#include "sim/scenario.h"
#include "sim/sim_node.h"
#include "sim/task_plan.h"
#include "sim/witness.h"
#include "sim/world.h"

namespace petrel::sim {

class SimTasks {
 public:
  struct Parts {
    World& world;
    const Scenario& scenario;
    SimNode& node;
    Disk& disk;
    FaultCounts& faults;
    Witness& witness;
  };

  SimTasks(const Parts& parts, std::uint64_t seed);

  // Plans all of it.
  void begin();

  // A task hands this over.
  void stepped(const store::ChangeSet& set);

  // Nobody begins anything any more. What was disabled is enabled, and most tasks are resumed.
  void end();

  // Whether a task is running, and by when each must have ended.
  bool are_under_way() const { return !running().empty(); }
  MonoTime rest_bound(std::size_t deliveries) const;

  // Closes the circuits that tasks wait for and that nothing is there to probe.
  void help();

 private:
  // A person asks until the answer is certain: `attempt` is made once per try, and is to answer
  // with a status of HTTP.
  using Answer = std::function<void(int)>;
  using Attempt = std::function<void(const Answer&)>;
  void ask(const Attempt& attempt);

  // One who begins a task.
  struct Start {
    const TaskPlan& plan;
    std::optional<model::Task> task = std::nullopt;  // Of this try; with a key, of all of them.
    std::string json = {};
  };
  using StartPtr = std::shared_ptr<Start>;  // Shared with the tries under way.

  void start(const TaskPlan& plan);
  void attempt(const StartPtr& start, const Answer& answer);
  void create(const StartPtr& start, std::uint64_t number, const Answer& answer);
  void unless_known(const StartPtr& start, const Answer& answer,
                    const std::function<void()>& otherwise);
  void draft(Start& start);

  // One who edits it. A task writes how far it has come, so an edit may be overtaken.
  struct Edit {
    TaskId task;
    ApplicationId application;
    TaskWish wish;
    std::uint64_t number = 0;
    int overtaken = 0;
  };
  void edit(TaskId task, ApplicationId application, TaskWish wish);
  void attempt(const Edit& edit, const Answer& answer);
  void change(Edit edit, model::Task task, const Answer& answer);

  // Reads where that may take its time, and goes on on a loop of the process.
  template <typename T>
  void read(std::function<Result<T>(store::Browse&)> ask, std::function<void(Result<T>)> then);

  std::vector<model::Task> running() const;
  bool has_live(EndpointId endpoint) const;

  Parts parts_;
  Dice dice_;
  SeededSecureRandom random_;
  KsuidMaker maker_;
  OrganisationId organisation_;
  struct Made {
    TaskId task;
    ApplicationId application;
  };
  std::vector<Made> made_;  // Those that may be there.
  std::vector<std::size_t> disabled_;
  bool has_ended_ = false;
};

}  // namespace petrel::sim
