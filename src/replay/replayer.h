// Replayer carries out the tasks of the running server: those that were under way when it started,
// and those that people have begun since.
//
// The store is what counts: a task is created, paused, resumed or cancelled by writing it there and
// then waking it here.
//
// Thread: confined to its loop's thread.

#pragma once

#include <map>
#include <memory>

#include "replay/task_run.h"

namespace petrel::replay {

class Replayer {
 public:
  explicit Replayer(TaskRun::Parts parts)
      : parts_(std::make_shared<const TaskRun::Parts>(std::move(parts))) {}
  ~Replayer();
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  // Takes up what is under way in the store, as soon as that can be read.
  void start();

  // The task is new, or has changed.
  void wake(OrganisationId organisation, TaskId id);

  // As TaskRun has it.
  void answered(const model::DeliveryKey& delivery, bool is_good);
  void unsent(const model::DeliveryKey& delivery);

  // Nothing begins any more; what is being written may still be. Legal twice.
  void stop();

  std::size_t under_way() const { return runs_.size(); }

 private:
  void start_later();
  void take_up(const Result<std::vector<model::Task>>& tasks);
  void tell_count();

  const std::shared_ptr<const TaskRun::Parts> parts_;  // Shared with the runs and their answers.
  std::map<TaskId, std::shared_ptr<TaskRun>> runs_;    // Shared with their steps under way.
  std::unique_ptr<LoopTimer> timer_;
  std::shared_ptr<Replayer*> self_ = std::make_shared<Replayer*>(this);  // Null when we are gone.
  bool is_stopped_ = false;
};

}  // namespace petrel::replay
