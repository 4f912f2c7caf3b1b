#include "sim/replay_people.h"

#include <utility>

#include <fmt/format.h>

#include "replay/revival.h"
#include "replay/walk.h"

namespace petrel::sim {
namespace {

using model::TaskState;
using model::TaskType;
using policy::DeadReason;

constexpr int kEditsMax = 50;

}  // namespace

ReplayPeople::ReplayPeople(const Parts& parts, std::uint64_t seed)
    : world_(parts.world),
      scenario_(parts.scenario),
      disk_(parts.disk),
      lanes_(parts.lanes),
      node_(parts.node),
      log_(parts.log),
      dice_(seed),
      random_(seed),
      maker_(random_),
      organisation_(maker_.make(world_.clock().wall())) {}

model::Task ReplayPeople::draw_task() {
  const WallTime now = world_.clock().wall();
  model::Task task;
  task.id = TaskId(maker_.make(now));
  task.organisation = organisation_;
  task.application = lanes_.application();
  task.type = dice_.one_of({TaskType::Recover, TaskType::Recover, TaskType::Recover,
                            TaskType::ReplayMissing, TaskType::BulkReplay, TaskType::BulkReplay,
                            TaskType::Discard});
  task.created_at = task.updated_at = now;
  task.selection.until = now;
  const bool is_of_all =
      (task.type == TaskType::Recover || task.type == TaskType::Discard) && dice_.chance(0.5);
  if (!is_of_all) {
    const auto& endpoints = lanes_.endpoints();
    task.selection.endpoint = endpoints[dice_.index(endpoints.size())];
  }
  draw_filters(task);
  task.pacing = draw_pacing(dice_);
  replay::begin_legs(task);
  return task;
}

void ReplayPeople::draw_filters(model::Task& task) {
  model::Selection& selection = task.selection;
  const auto hours_ago = [&] { return task.created_at - std::chrono::hours(dice_.between(0, 5)); };
  if (dice_.chance(0.3)) selection.since = hours_ago();
  if (dice_.chance(0.2)) selection.until = std::max(selection.since, hours_ago());
  const bool is_of_dead = task.type == TaskType::Recover || task.type == TaskType::Discard;
  if (is_of_dead && dice_.chance(0.3)) {
    selection.reasons = {DeadReason::Exhausted, DeadReason::Expired};
  }
  if (task.type == TaskType::ReplayMissing) return;
  if (dice_.chance(0.2)) selection.event_types = {"a", "c"};
  if (task.type != TaskType::BulkReplay) return;
  if (dice_.chance(0.2)) selection.tag = "t";
  if (dice_.chance(0.3)) selection.is_delivered = dice_.chance(0.5);
  if (dice_.chance(0.2)) selection.status_class = dice_.one_of({0, 2, 4, 5});
}

void ReplayPeople::begin_task() {
  if (!node_.is_up()) return;
  const model::Task task = draw_task();
  log_.add(fmt::format("{} is asked for: {} at {} to {} a minute", task.id.text(),
                       word_for(task.type), task.pacing.rate_per_minute,
                       task.pacing.rate_per_minute_max));
  tasks_.push_back(task.id);
  disk_.change_by_person({.changes = {store::CreateTask{task}}}, [this, task](const Status&) {
    // Also if it failed: it may have been written all the same.
    node_.wake(task);
  });
}

void ReplayPeople::edit() {
  if (tasks_.empty() || !node_.is_up()) return;
  Wish wish{tasks_[dice_.index(tasks_.size())], TaskState::Running, TaskState::Paused};
  if (dice_.chance(0.5)) std::swap(wish.from, wish.to);
  if (dice_.chance(0.05)) wish.to = TaskState::Cancelled;
  attempt(wish);
}

// As in api/task_routes.cpp.
void ReplayPeople::attempt(const Wish& wish) {
  node_.read([this, wish] {
    const Result<model::Task> task = disk_.task_for_person(organisation_, wish.task);
    if (task.ok()) change(wish, *task);
  });
}

void ReplayPeople::change(const Wish& wish, model::Task task) {
  if (task.state == wish.to) return;
  const bool may =
      task.state == wish.from || (wish.to == TaskState::Cancelled && !task.has_ended());
  if (!may) return;
  task.state = wish.to;
  ++task.revision;
  task.updated_at = world_.clock().wall();
  disk_.change_by_person(
      {.changes = {store::UpdateTask{task}}}, [this, wish, task](const Status& status) {
        const bool is_overtaken = !status.ok() && status.error().kind == ErrorKind::Conflict;
        if (is_overtaken && wish.attempts + 1 < kEditsMax) {
          return attempt({wish.task, wish.from, wish.to, wish.attempts + 1});
        }
        node_.wake(task);
      });
}

void ReplayPeople::meddle(const store::ChangeSet& set) {
  const ReplayIncidents& incidents = scenario_.incidents;
  if (incidents.resend > Duration(0) && !set.settlements.empty() && dice_.chance(0.03)) {
    const std::size_t which = dice_.index(set.settlements.size());
    send_again(set.settlements[which].delivery.key);
  }
  if (incidents.edit > Duration(0) && dice_.chance(0.01)) edit();
}

void ReplayPeople::resend() {
  if (!node_.is_up()) return;
  const auto& endpoints = lanes_.endpoints();
  const auto& messages = lanes_.messages();
  const model::DeliveryKey key{endpoints[dice_.index(endpoints.size())],
                               messages[dice_.index(messages.size())]};
  node_.read([this, key] { send_again(key); });
}

// As in api/resend_routes.cpp.
void ReplayPeople::send_again(const model::DeliveryKey& key) {
  if (lanes_.endpoint(key.endpoint) == nullptr || !disk_.has_payload(key.message)) return;
  const Result<model::Delivery> delivery = disk_.delivery(key);
  if (!delivery.ok() && delivery.error().kind != ErrorKind::NotFound) return;
  const WallTime now = world_.clock().wall();
  store::ChangeSet set;
  if (delivery.ok()) {
    const auto settlement = replay::revival(*delivery, model::NextBasis::Resend, now);
    if (!settlement) return;
    set.settlements.push_back(*settlement);
  } else {
    set.changes.emplace_back(store::AddDelivery{
        replay::late_delivery(key, lanes_.application(), model::NextBasis::Resend, now)});
  }
  disk_.change_by_person(std::move(set), [this, key](const Status& status) {
    if (status.ok()) lanes_.nudge(key.endpoint);
  });
}

void ReplayPeople::resume_most() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (i % 3 != 2) attempt({tasks_[i], TaskState::Paused, TaskState::Running});
  }
}

}  // namespace petrel::sim
