// What a simulated store does with sets of changes, and what it shows to tasks.

#include <utility>

#include <fmt/format.h>

#include "sim/faulty_store.h"

namespace petrel::sim {
namespace {

Error away() { return unavailable("the simulated disk does not answer"); }

bool keeps_lane(const store::ChangeSet& set) {
  return std::any_of(set.changes.begin(), set.changes.end(), [](const store::Change& change) {
    return std::holds_alternative<store::KeepLane>(change);
  });
}

}  // namespace

void FaultyStore::look_at_loads(const store::ChangeSet& set) {
  for (const store::Change& change : set.changes) {
    const auto* const expunged = std::get_if<store::ExpungePayload>(&change);
    if (expunged == nullptr || !loading_.contains(expunged->message)) continue;
    witness_.saw(Landmark::ExpungedWhileLoading);
  }
}

void FaultyStore::change(store::ChangeSet set, store::ChangeDone done) {
  look_at_loads(set);
  const Handed handed = hand_over(set);
  std::vector<store::ChangeSet> pieces = task_defects_.taken_apart(std::move(set));
  if (pieces.size() == 1) return change_piece(std::move(pieces.front()), handed, std::move(done));
  const auto second = std::make_shared<store::ChangeSet>(std::move(pieces.back()));
  change_piece(std::move(pieces.front()), handed,
               [this, handed, second, done = std::move(done)](const Status& status) mutable {
                 if (!status.ok()) return done(status);
                 change_piece(*second, handed, std::move(done));
               });
}

void FaultyStore::change_piece(store::ChangeSet set, const Handed& handed, store::ChangeDone done) {
  const auto result = std::make_shared<Status>(petrel::Done{});
  const Landmark unknown = keeps_lane(set) ? Landmark::UnknownLane : Landmark::UnknownChange;
  auto write = [this, set = std::move(set), result, handed] {
    *result = write_changes(set, handed);
  };
  begin_write({unknown}, std::move(write), [result, done = std::move(done)](Fate fate) {
    done(fate == Fate::Good ? *result : Status(away()));
  });
}

FaultyStore::Handed FaultyStore::hand_over(const store::ChangeSet& set) {
  Handed handed{.handle = std::nullopt, .author = {.at = world_.now()}};
  const model::Endpoint* update = nullptr;
  bool was_paused = false;
  for (const store::Change& change : set.changes) {
    const auto* const found = std::get_if<store::UpdateEndpoint>(&change);
    if (found == nullptr) continue;
    const auto before = platters_.endpoint(found->endpoint.id);
    update = &found->endpoint;
    was_paused = before.ok() && before->pause.has_value();
    break;
  }
  handed.handle = witness_.handed_over(update, was_paused);
  const model::Task* const task = task_of(set);
  if (task == nullptr || handed.handle) return handed;
  handed.author.by = judge::By::Task;
  handed.author.task = task->id;
  if (set.changes.size() > 1 || !set.settlements.empty()) witness_.task_step(task->id);
  if (task_stepped_) task_stepped_(set);
  return handed;
}

Status FaultyStore::write_changes(const store::ChangeSet& set, const Handed& handed) {
  store::ChangeSet marked = set;
  if (handed.author.by == judge::By::Task) marked = task_defects_.written(marked, platters_);
  const ChangeEvidence seen(platters_, marked, handed.author);
  if (is_dying_ && !marked.answer) {
    // By this it is known afterwards, if nobody says now whether it is there.
    marked.answer = store::KeptAnswer{.key = fmt::format("dying {} {}", life_, marks_++),
                                      .body_hash = {},
                                      .expires_at = world_.clock().wall() + std::chrono::hours(1)};
  }
  Status result = petrel::Done{};
  disk_.store().change(marked, [&](const Status& status) { result = status; });
  if (result.ok()) changes_written(set, handed, seen);
  if (!result.ok() && result.error().kind == ErrorKind::Unavailable) {
    doubts_.emplace_back([this, marked, handed, seen] { return look_for(marked, handed, seen); });
  }
  return result;
}

void FaultyStore::changes_written(const store::ChangeSet& set, const Handed& handed,
                                  const ChangeEvidence& seen) {
  witness_.change_written(handed.handle);
  seen.tell(platters_, witness_);
  for (const store::Change& change : set.changes) {
    const auto* update = std::get_if<store::UpdateEndpoint>(&change);
    if (update != nullptr && endpoint_written_) endpoint_written_(update->endpoint);
    note_deleted(change);
  }
}

Result<model::Task> FaultyStore::task(OrganisationId organisation, TaskId id) {
  Result<model::Task> task = ForwardingBrowse::task(organisation, id);
  if (!task.ok()) return task;
  return task_defects_.shown(*std::move(task));
}

Result<std::vector<model::Task>> FaultyStore::tasks_under_way() {
  if (task_defects_.forgets_tasks()) return std::vector<model::Task>();
  return ForwardingBrowse::tasks_under_way();
}

Result<store::Listed<model::Delivery>> FaultyStore::dead_letters(store::DeadQuery query) {
  return task_defects_.listed(ForwardingBrowse::dead_letters(std::move(query)));
}

Result<store::Listed<model::Delivery>> FaultyStore::deliveries_of_endpoint(EndpointId endpoint,
                                                                           Page page) {
  return task_defects_.listed(ForwardingBrowse::deliveries_of_endpoint(endpoint, page));
}

Result<store::Listed<model::Message>> FaultyStore::messages(ApplicationId application, Page page) {
  return task_defects_.listed(ForwardingBrowse::messages(application, page));
}

}  // namespace petrel::sim
