// ReplayDisk is a store of dead letters and tasks that does to writers what disks do.
//
// It takes its time. It may refuse a write (Unavailable, nothing written), or write it and answer
// Unavailable nevertheless; it may stall, or refuse everything for a while. A read may fail
// half-way through. When the process dies, writes that were not answered yet have happened or not.
//
// Whatever changes on it is shown to whoever watches, with whose hand it was.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/function.h"
#include "sim/dice.h"
#include "sim/replay_mutant.h"
#include "sim/replay_scenario.h"
#include "sim/world.h"
#include "store/memory/memory_store.h"

namespace petrel::sim {

enum class ReplayHand : std::uint8_t { Task, Person, Lane };

struct DeliveryChange {
  std::optional<model::Delivery> before;  // Empty: there was none.
  model::Delivery after;
};

// What a write has changed.
struct ReplayWrite {
  ReplayHand hand = ReplayHand::Task;
  std::optional<TaskId> task = {};  // Whose work it is.
  MonoTime handed_over{};           // To the disk.
  MonoTime began{};                 // When that task first handed over something that it had done.
  std::optional<model::Task> task_before = {};
  std::optional<model::Task> task_after = {};  // Empty: none was written.
  std::vector<DeliveryChange> deliveries = {};
  std::size_t overtaken = 0;  // Deliveries that somebody else had changed meanwhile.
};

class ReplayDisk final : public store::MemoryStore {
 public:
  struct Parts {
    World& world;
    ReplayTrouble trouble;
    ReplayMutant mutant = ReplayMutant::None;
    std::function<void(const ReplayWrite&)> watcher;

    // Shown what a task hands over before it is written: the worst moment to meddle.
    std::function<void(const store::ChangeSet&)> handed_over;
  };

  ReplayDisk(Parts parts, std::uint64_t seed);

  // By a task.
  void change(store::ChangeSet set, store::ChangeDone done) override;
  void change_by_person(store::ChangeSet set, store::ChangeDone done);

  // By a lane, which has its own simulation: at once, and never fails.
  void settle_now(const model::Settlement& settlement);

  // What follows is read in one go: it may fail half-way.
  void begin_reading();

  Result<model::Task> task(OrganisationId organisation, TaskId id) override;
  Result<model::Task> task_for_person(OrganisationId organisation, TaskId id);
  Result<std::vector<model::Task>> tasks_under_way() override;
  Result<store::Listed<model::Delivery>> dead_letters(store::DeadQuery query) override;
  Result<store::Listed<model::Delivery>> deliveries_of_endpoint(EndpointId endpoint,
                                                                store::Page page) override;
  Result<store::Listed<model::Message>> messages(ApplicationId application,
                                                 store::Page page) override;
  Result<model::Message> message(ApplicationId application, MessageId id) override;
  Result<model::Delivery> delivery(model::DeliveryKey key) override;
  Result<model::Payload> payload(MessageId id) override;

  // As it is, without any trouble, for those who watch.
  std::optional<model::Delivery> delivery_on_disk(const model::DeliveryKey& key);
  model::Message message_on_disk(ApplicationId application, MessageId id);
  std::vector<model::Message> messages_on_disk(ApplicationId application);
  std::vector<model::Task> tasks_on_disk(OrganisationId organisation);
  bool has_payload(MessageId id) { return *MemoryStore::payload(id) != nullptr; }

  void stall(Duration length);
  void refuse(Duration length);

  // The process is gone: nobody hears any answer any more.
  void crash();

  // No more trouble.
  void heal();

 private:
  // Written piece by piece: one, unless a mutant takes it apart.
  struct Write {
    std::vector<store::ChangeSet> pieces;
    ReplayWrite seen;  // But for what it changes.
    store::ChangeDone done;
  };

  bool is_read_failing();
  Duration latency();
  void later(Function<void()> action);
  void begin(Write write);
  void write_next(std::uint64_t number);
  Status apply(store::ChangeSet set, ReplayWrite seen);
  std::vector<store::ChangeSet> taken_apart(store::ChangeSet set) const;

  template <typename T>
  Result<store::Listed<T>> listed(Result<store::Listed<T>> list);

  World& world_;
  ReplayTrouble trouble_;
  ReplayMutant mutant_;
  std::function<void(const ReplayWrite&)> watcher_;
  std::function<void(const store::ChangeSet&)> handed_over_;
  Dice dice_;
  std::map<std::uint64_t, Write> writes_;  // Not answered yet.
  std::map<TaskId, MonoTime> began_;
  std::optional<std::size_t> reads_left_;  // Before they fail.
  std::uint64_t next_write_ = 0;
  int life_ = 0;
  MonoTime stalled_until_{};
  MonoTime refused_until_{};
};

}  // namespace petrel::sim
