#include "sim/task_defects.h"

#include <algorithm>
#include <utility>

#include "replay/revival.h"

namespace petrel::sim {
namespace {

bool does_something(const store::ChangeSet& set) {
  return set.changes.size() > 1 || !set.settlements.empty();
}

}  // namespace

const model::Task* task_of(const store::ChangeSet& set) {
  if (set.changes.empty()) return nullptr;
  const auto* const update = std::get_if<store::UpdateTask>(&set.changes.front());
  return update == nullptr ? nullptr : &update->task;
}

model::Task TaskDefects::shown(model::Task task) const {
  if (mutant_ == Mutant::ForgetsNextAt) task.progress.next_at = {};
  if (mutant_ == Mutant::BeginsAtCeiling) {
    task.progress.rate_per_minute = task.pacing.rate_per_minute_max;
  }
  if (mutant_ == Mutant::ForgetsFilters) {
    task.selection.reasons.clear();
    task.selection.event_types.clear();
  }
  return task;
}

std::vector<store::ChangeSet> TaskDefects::taken_apart(store::ChangeSet set) const {
  const bool is_apart = mutant_ == Mutant::ProgressBehind || mutant_ == Mutant::ProgressBefore;
  if (!is_apart || task_of(set) == nullptr || !does_something(set)) return {std::move(set)};
  store::ChangeSet progress{.changes = {set.changes.front()}};
  set.changes.erase(set.changes.begin());
  if (mutant_ == Mutant::ProgressBehind) return {std::move(set), std::move(progress)};
  return {std::move(progress), std::move(set)};
}

store::ChangeSet TaskDefects::written(store::ChangeSet set, store::Browse& platters) const {
  if (mutant_ == Mutant::IgnoresRevision && task_of(set) != nullptr) {
    model::Task& task = std::get<store::UpdateTask>(set.changes.front()).task;
    const auto before = platters.task(task.organisation, task.id);
    if (before.ok()) task.revision = before->revision + 1;
  }
  if (mutant_ == Mutant::AlwaysTakes && task_of(set) != nullptr && !does_something(set)) {
    put_back_anyway(set, *task_of(set), platters);
  }
  return set;
}

// It writes that it waits since no endpoint takes anything: the first dead letter goes back all the
// same.
void TaskDefects::put_back_anyway(store::ChangeSet& set, const model::Task& task,
                                  store::Browse& platters) const {
  const model::TaskProgress& progress = task.progress;
  const bool is_of_dead = task.type == model::TaskType::Recover;
  if (progress.waits_for.empty() || progress.cursors.empty() || !is_of_dead) return;
  const model::EndpointCursor& cursor = progress.cursors.front();
  const auto dead = platters.dead_letters(
      {.application = task.application,
       .endpoint = cursor.endpoint,
       .after = store::DeadPosition{cursor.endpoint, std::max(cursor.died_at, task.selection.since),
                                    cursor.message},
       .limit = 1});
  if (!dead.ok() || dead->items.empty()) return;
  const auto revived =
      replay::revival(dead->items.front(), model::NextBasis::Replay, task.updated_at);
  if (revived) set.settlements.push_back(*revived);
}

}  // namespace petrel::sim
