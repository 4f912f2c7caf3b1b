// FaultyStore is a disk with a mind of its own, in front of a Disk that plays the platters.
//
// It takes its time. It may refuse a write (Unavailable, nothing written), or write it and answer
// Unavailable nevertheless. It may stall, or refuse everything for a while, as a full disk does.
// When the process dies, writes that were not answered yet have happened or not, one by one. Where
// the disk itself does not say, it is looked at afterwards.
//
// Its answers come in any order.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/function.h"
#include "sim/change_evidence.h"
#include "sim/dice.h"
#include "sim/disk.h"
#include "sim/fault.h"
#include "sim/forwarding_browse.h"
#include "sim/mutant.h"
#include "sim/scenario.h"
#include "sim/task_defects.h"
#include "sim/witness.h"
#include "sim/world.h"
#include "store/store.h"

namespace petrel::sim {

class FaultyStore final : public store::Store, public ForwardingBrowse {
 public:
  struct Parts {
    World& world;
    Disk& disk;
    FaultCounts& faults;
    Witness& witness;
    StoreTrouble trouble;
    Mutant mutant = Mutant::None;
  };

  FaultyStore(const Parts& parts, std::uint64_t seed);

  void accept(std::vector<store::Acceptance> batch, AcceptDone done) override;
  void settle(std::vector<model::Settlement> batch, SettleDone done) override;
  void load_due(store::DueQuery query, Function<void(Result<store::DuePage>)> done) override;
  void load_payloads(std::vector<MessageId> messages, store::PayloadKeeper& keeper,
                     PayloadsDone done) override;
  Result<std::vector<EndpointId>> endpoints_with_live() override;

  void change(store::ChangeSet set, store::ChangeDone done) override;
  void purge(store::PurgeOrder order, PurgeDone done) override;

  Result<KeptLanes> kept_lanes() override;

  // What tasks read.
  Result<model::Task> task(OrganisationId organisation, TaskId id) override;
  Result<std::vector<model::Task>> tasks_under_way() override;
  Result<Listed<model::Delivery>> dead_letters(store::DeadQuery query) override;
  Result<Listed<model::Delivery>> deliveries_of_endpoint(EndpointId endpoint, Page page) override;
  Result<Listed<model::Message>> messages(ApplicationId application, Page page) override;

  // Told of every record of an endpoint that comes on the disk.
  void on_endpoint(std::function<void(const model::Endpoint&)> listener) {
    endpoint_written_ = std::move(listener);
  }

  // Told of every step that a task hands over.
  void on_task_step(std::function<void(const store::ChangeSet&)> listener) {
    task_stepped_ = std::move(listener);
  }

  // For a mutant: whether lanes of others send while this one was accepted.
  void on_others_sending(std::function<bool(const store::Acceptance&)> ask) {
    are_others_sending_ = std::move(ask);
  }

  // A process starts, for the first time or again.
  void start(bool has_lived);

  // It is up, and its witness has heard so.
  void started() { update_away(); }

  void stall(Duration length);
  void refuse(Duration length);

  // The process is gone: nobody hears any answer any more.
  void crash(bool has_drained);

  // No more faults.
  void heal();

  // Some message whose payload was asked for, and not answered yet.
  std::optional<MessageId> some_loading() const {
    return loading_.empty() ? std::nullopt : std::optional(*loading_.begin());
  }

  // How often it was read, in all lives.
  std::uint64_t reads() const { return reads_; }

 private:
  enum class Fate { Good, Fails, Unknown };

  Fate draw_fate();
  Duration latency();
  bool is_stalled() const { return world_.now() < stalled_until_; }
  void failed(Fault how, const char* verb);
  void update_away();
  std::vector<store::Accepted> write_acceptances(std::vector<store::Acceptance> batch,
                                                 MonoTime handed_over);
  std::vector<store::Settled> write_settlements(std::vector<model::Settlement> batch,
                                                MonoTime handed_over);
  void write_purge(const store::PurgeOrder& order, const std::shared_ptr<PurgeDone>& done);
  void look_for_dropped();
  void drop_kept_payload();
  void look_at_loads(const store::ChangeSet& set);

  // A set that was handed over: what became of what was asked for, and who did it.
  struct Handed {
    Witness::ChangeHandle handle;
    ChangeAuthor author;
  };
  Handed hand_over(const store::ChangeSet& set);
  void change_piece(store::ChangeSet set, const Handed& handed, store::ChangeDone done);
  Status write_changes(const store::ChangeSet& set, const Handed& handed);
  void changes_written(const store::ChangeSet& set, const Handed& handed,
                       const ChangeEvidence& seen);

  // What the dying disk gave no answer to. Each says whether it is there after all.
  using Doubt = std::function<bool()>;
  bool look_for(const std::vector<store::Acceptance>& batch, MonoTime handed_over);
  bool look_for(const std::vector<model::Settlement>& batch, MonoTime handed_over);
  bool look_for(const store::ChangeSet& set, const Handed& handed, const ChangeEvidence& seen);

  void answer_early(const std::vector<store::Acceptance>& batch, const AcceptDone& done);
  void hand_out_again(const store::DueQuery& query, store::DuePage& page);
  bool may_read() override;
  void mutate(model::Settlement& settlement);
  static void forget_wishes(store::DuePage& page);
  void note_deleted(const store::Change& change);
  void add_deleted(store::Acceptance& acceptance) const;

  // What is seen if a write happens and is answered as if it had not, and if a crash loses it.
  struct Loss {
    Landmark unknown;
    std::optional<Landmark> lost = std::nullopt;
  };

  // What was handed over and is not on disk yet.
  void begin_write(const Loss& loss, Function<void()> write, Function<void(Fate)> answer);
  void finish_write(std::uint64_t number);
  void read(Function<void(bool)> question);

  // Calls `action` a moment later, unless the process has died by then.
  void later(Function<void()> action);

  World& world_;
  Disk& disk_;
  store::Browse& platters_;
  FaultCounts& faults_;
  Witness& witness_;
  StoreTrouble trouble_;
  Mutant mutant_;
  Dice dice_;
  SeededSecureRandom ids_;
  TaskDefects task_defects_;
  Dice purge_dice_;  // Its own: all other draws are as they would be without it.

  std::set<std::pair<ApplicationId, MessageId>> known_;  // Messages that retention has not dropped.

  struct Write {
    Loss loss;
    Function<void()> write;
    Function<void(Fate)> answer;
  };
  std::map<std::uint64_t, Write> writes_;
  std::uint64_t next_write_ = 0;
  std::multiset<MessageId> loading_;  // Whose payloads were asked for.
  std::vector<Doubt> doubts_;
  bool is_dying_ = false;
  std::uint64_t marks_ = 0;
  MonoTime last_write_at_{};
  int life_ = 0;
  bool has_lived_ = false;
  std::function<void(const model::Endpoint&)> endpoint_written_;
  std::function<void(const store::ChangeSet&)> task_stepped_;
  std::function<bool(const store::Acceptance&)> are_others_sending_;
  std::vector<model::Delivery> delivered_;       // As they were before, for a mutant.
  std::map<ApplicationId, EndpointId> deleted_;  // For a mutant, too.
  MonoTime stalled_until_{};
  MonoTime refused_until_{};
  bool is_known_away_ = false;
  std::uint64_t reads_ = 0;
};

}  // namespace petrel::sim
