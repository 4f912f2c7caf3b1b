#include "sim/replay_disk.h"

#include <algorithm>
#include <utility>

#include "store/settlement_effect.h"

namespace petrel::sim {
namespace {

constexpr std::size_t kAll = 1'000'000;

Error away() { return unavailable("the simulated disk does not answer"); }

bool has_effect(const std::optional<model::Delivery>& before, const model::Settlement& settlement) {
  return before &&
         store::effect_of(settlement, store::head_of(*before)) != store::SettlementEffect::None;
}

const model::Task* written_task(const store::Change& change) {
  if (const auto* made = std::get_if<store::CreateTask>(&change)) return &made->task;
  if (const auto* next = std::get_if<store::UpdateTask>(&change)) return &next->task;
  return nullptr;
}

}  // namespace

ReplayDisk::ReplayDisk(Parts parts, std::uint64_t seed)
    : MemoryStore(parts.world.clock()),
      world_(parts.world),
      trouble_(parts.trouble),
      mutant_(parts.mutant),
      watcher_(std::move(parts.watcher)),
      handed_over_(std::move(parts.handed_over)),
      dice_(seed) {}

Duration ReplayDisk::latency() {
  const Duration usual = dice_.between(Duration(50), trouble_.latency_max);
  if (!dice_.chance(trouble_.is_slow)) return usual;
  return usual + dice_.spread(std::chrono::milliseconds(1), std::chrono::seconds(5));
}

void ReplayDisk::later(Function<void()> action) {
  world_.after(latency(), [this, life = life_, action = std::move(action)] {
    if (life == life_) action();
  });
}

void ReplayDisk::change(store::ChangeSet set, store::ChangeDone done) {
  Write write{.pieces = {}, .seen = {.handed_over = world_.now()}, .done = std::move(done)};
  const model::Task* const task = written_task(set.changes.front());
  write.seen.task = task->id;
  const bool does_something = set.changes.size() > 1 || !set.settlements.empty();
  if (does_something) began_.try_emplace(task->id, world_.now());
  if (began_.contains(task->id)) write.seen.began = began_.at(task->id);
  handed_over_(set);
  write.pieces = taken_apart(std::move(set));
  begin(std::move(write));
}

void ReplayDisk::change_by_person(store::ChangeSet set, store::ChangeDone done) {
  begin({.pieces = {std::move(set)},
         .seen = {.hand = ReplayHand::Person, .handed_over = world_.now()},
         .done = std::move(done)});
}

std::vector<store::ChangeSet> ReplayDisk::taken_apart(store::ChangeSet set) const {
  const bool is_apart =
      mutant_ == ReplayMutant::ProgressBehind || mutant_ == ReplayMutant::ProgressBefore;
  const bool does_something = set.changes.size() > 1 || !set.settlements.empty();
  if (!is_apart || !does_something) return {std::move(set)};
  store::ChangeSet progress{.changes = {set.changes.front()}};
  set.changes.erase(set.changes.begin());
  if (mutant_ == ReplayMutant::ProgressBehind) return {std::move(set), std::move(progress)};
  return {std::move(progress), std::move(set)};
}

void ReplayDisk::begin(Write write) {
  const std::uint64_t number = next_write_++;
  writes_.emplace(number, std::move(write));
  later([this, number] { write_next(number); });
}

void ReplayDisk::write_next(std::uint64_t number) {
  if (world_.now() < stalled_until_) {
    world_.at(stalled_until_, [this, life = life_, number] {
      if (life == life_) write_next(number);
    });
    return;
  }
  Write& write = writes_.at(number);
  const bool is_refused = world_.now() < refused_until_ || dice_.chance(trouble_.fails);
  const bool is_unknown = !is_refused && dice_.chance(trouble_.commit_unknown);
  Status status = away();
  if (!is_refused) {
    const store::ChangeSet piece = std::move(write.pieces.front());
    write.pieces.erase(write.pieces.begin());
    status = apply(piece, write.seen);
    if (is_unknown) status = away();
    if (status.ok() && !write.pieces.empty()) return later([this, number] { write_next(number); });
  }
  later([done = std::move(write.done), status] { done(status); });
  writes_.erase(number);
}

Status ReplayDisk::apply(store::ChangeSet set, ReplayWrite seen) {
  for (store::Change& change : set.changes) {
    const model::Task* const task = written_task(change);
    if (task == nullptr) continue;
    const auto before = MemoryStore::task(task->organisation, task->id);
    if (before.ok()) seen.task_before = *before;
    auto* const update = std::get_if<store::UpdateTask>(&change);
    const bool is_blind = mutant_ == ReplayMutant::IgnoresRevision && update != nullptr;
    if (is_blind && before.ok()) update->task.revision = before->revision + 1;
    seen.task_after = *written_task(change);
  }
  for (const store::Change& change : set.changes) {
    const auto* const added = std::get_if<store::AddDelivery>(&change);
    if (added != nullptr) seen.deliveries.push_back({std::nullopt, added->delivery});
  }
  for (const model::Settlement& settlement : set.settlements) {
    const auto before = delivery_on_disk(settlement.delivery.key);
    if (has_effect(before, settlement)) {
      seen.deliveries.push_back({before, settlement.delivery});
    } else {
      ++seen.overtaken;
    }
  }
  Status status = Done{};
  MemoryStore::change(std::move(set), [&status](const Status& answer) { status = answer; });
  if (status.ok()) watcher_(seen);
  return status;
}

void ReplayDisk::settle_now(const model::Settlement& settlement) {
  const auto before = delivery_on_disk(settlement.delivery.key);
  if (!has_effect(before, settlement)) return;
  MemoryStore::settle({settlement}, [](const auto&) {});
  watcher_({.hand = ReplayHand::Lane, .deliveries = {{before, settlement.delivery}}});
}

void ReplayDisk::begin_reading() {
  reads_left_.reset();
  const bool fails = world_.now() < refused_until_ || dice_.chance(trouble_.read_fails);
  if (fails) reads_left_ = dice_.index(6);
}

bool ReplayDisk::is_read_failing() {
  if (!reads_left_) return false;
  if (*reads_left_ == 0) return true;
  --*reads_left_;
  return false;
}

template <typename T>
Result<store::Listed<T>> ReplayDisk::listed(Result<store::Listed<T>> list) {
  if (mutant_ != ReplayMutant::LosesRows || list->items.size() < 2 || !dice_.chance(0.1)) {
    return list;
  }
  list->items.erase(list->items.begin() +
                    static_cast<std::ptrdiff_t>(dice_.index(list->items.size())));
  return list;
}

Result<model::Task> ReplayDisk::task_for_person(OrganisationId organisation, TaskId id) {
  if (is_read_failing()) return away();
  return MemoryStore::task(organisation, id);
}

Result<model::Task> ReplayDisk::task(OrganisationId organisation, TaskId id) {
  Result<model::Task> task = task_for_person(organisation, id);
  if (task.ok() && mutant_ == ReplayMutant::ForgetsNextAt) task->progress.next_at = {};
  if (task.ok() && mutant_ == ReplayMutant::BeginsAtCeiling) {
    task->progress.rate_per_minute = task->pacing.rate_per_minute_max;
  }
  if (task.ok() && mutant_ == ReplayMutant::ForgetsFilters) {
    task->selection.reasons.clear();
    task->selection.event_types.clear();
  }
  return task;
}

Result<std::vector<model::Task>> ReplayDisk::tasks_under_way() {
  if (is_read_failing()) return away();
  if (mutant_ == ReplayMutant::ForgetsTasks) return std::vector<model::Task>();
  return MemoryStore::tasks_under_way();
}

Result<store::Listed<model::Delivery>> ReplayDisk::dead_letters(store::DeadQuery query) {
  if (is_read_failing()) return away();
  return listed(MemoryStore::dead_letters(std::move(query)));
}

Result<store::Listed<model::Delivery>> ReplayDisk::deliveries_of_endpoint(EndpointId endpoint,
                                                                          store::Page page) {
  if (is_read_failing()) return away();
  return listed(MemoryStore::deliveries_of_endpoint(endpoint, page));
}

Result<store::Listed<model::Message>> ReplayDisk::messages(ApplicationId application,
                                                           store::Page page) {
  if (is_read_failing()) return away();
  return listed(MemoryStore::messages(application, page));
}

Result<model::Message> ReplayDisk::message(ApplicationId application, MessageId id) {
  if (is_read_failing()) return away();
  return MemoryStore::message(application, id);
}

Result<model::Delivery> ReplayDisk::delivery(model::DeliveryKey key) {
  if (is_read_failing()) return away();
  return MemoryStore::delivery(key);
}

Result<model::Payload> ReplayDisk::payload(MessageId id) {
  if (is_read_failing()) return away();
  return MemoryStore::payload(id);
}

std::optional<model::Delivery> ReplayDisk::delivery_on_disk(const model::DeliveryKey& key) {
  const auto found = MemoryStore::delivery(key);
  return found.ok() ? std::optional(*found) : std::nullopt;
}

model::Message ReplayDisk::message_on_disk(ApplicationId application, MessageId id) {
  return *MemoryStore::message(application, id);
}

std::vector<model::Message> ReplayDisk::messages_on_disk(ApplicationId application) {
  return MemoryStore::messages(application, {.limit = kAll})->items;
}

std::vector<model::Task> ReplayDisk::tasks_on_disk(OrganisationId organisation) {
  return MemoryStore::tasks(organisation, {.limit = kAll})->items;
}

void ReplayDisk::stall(Duration length) {
  stalled_until_ = std::max(stalled_until_, world_.now() + length);
}

void ReplayDisk::refuse(Duration length) {
  refused_until_ = std::max(refused_until_, world_.now() + length);
}

void ReplayDisk::crash() {
  ++life_;
  for (const auto& [number, write] : std::exchange(writes_, {})) {
    // What it meets there nobody hears of.
    if (dice_.chance(0.5)) static_cast<void>(apply(write.pieces.front(), write.seen));
  }
}

void ReplayDisk::heal() {
  trouble_ = {.latency_max = trouble_.latency_max};
  stalled_until_ = refused_until_ = MonoTime{};
}

}  // namespace petrel::sim
