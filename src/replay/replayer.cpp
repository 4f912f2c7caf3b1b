#include "replay/replayer.h"

#include <utility>

namespace petrel::replay {

Replayer::~Replayer() {
  stop();
  *self_ = nullptr;
}

void Replayer::start() {
  const bool is_taken = parts_->pool.run([parts = parts_, self = self_] {
    parts->loop.post([self, tasks = parts->browse.tasks_under_way()] {
      if (*self != nullptr) (*self)->take_up(tasks);
    });
  });
  if (!is_taken) start_later();
}

void Replayer::start_later() {
  timer_ = parts_->loop.make_timer();
  timer_->set(parts_->clock.mono() + TaskRun::kLookAgain, [this] { start(); });
}

void Replayer::take_up(const Result<std::vector<model::Task>>& tasks) {
  if (is_stopped_) return;
  if (!tasks.ok()) return start_later();
  for (const model::Task& task : *tasks) {
    if (task.state == model::TaskState::Running) wake(task.organisation, task.id);
  }
}

void Replayer::wake(OrganisationId organisation, TaskId id) {
  if (is_stopped_) return;
  const auto found = runs_.find(id);
  if (found != runs_.end()) return found->second->look_again();
  const auto over = [this, id, self = self_] {
    if (*self == nullptr) return;
    runs_.erase(id);
    tell_count();
  };
  const auto run = std::make_shared<TaskRun>(parts_, organisation, id, over);
  runs_.emplace(id, run);
  tell_count();
  run->begin();
}

void Replayer::tell_count() {
  if (parts_->count) parts_->count(runs_.size());
}

void Replayer::answered(const model::DeliveryKey& delivery, bool is_good) {
  // A run that ends by it leaves the map.
  for (const auto& [id, run] : std::map(runs_)) run->answered(delivery, is_good);
}

void Replayer::unsent(const model::DeliveryKey& delivery) {
  for (const auto& [id, run] : std::map(runs_)) run->unsent(delivery);
}

void Replayer::stop() {
  is_stopped_ = true;
  for (const auto& [id, run] : runs_) run->stop();
  runs_.clear();
}

}  // namespace petrel::replay
