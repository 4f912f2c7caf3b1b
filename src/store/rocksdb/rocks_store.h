// RocksStore is the embedded store: a RocksDB in a folder of this machine.
//
// Three kinds of thread meet here. One writes (see Committer): it joins everything that has
// gathered into one synced batch, so that one fsync serves many. A few read for the event loops.
// And whoever calls Browse reads on their own thread.
//
// When the disk is full or fails, verbs are Unavailable until it is well again; nobody has to
// restart anything.
//
// Thread: safe.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "store/browse.h"
#include "store/rocksdb/committer.h"
#include "store/rocksdb/database_slot.h"
#include "store/rocksdb/rocks_settings.h"
#include "store/rocksdb/tally_totals.h"
#include "store/store.h"

namespace petrel::store {

// About how much of the disk a family takes, and about how many keys it has.
struct FamilySize {
  std::string_view name;
  std::uint64_t bytes = 0;
  std::uint64_t keys = 0;
};

// What a backup consists of.
struct BackupReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t links = 0;  // Files that are the store's own as well: hard links.
};

class RocksStore final : public Store, public Browse {
 public:
  // Fails with a sentence for the operator if another process has the folder, if a newer Petrel
  // wrote it, if it is damaged, or if its secrets are sealed with a key that the vault lacks.
  //
  // REQUIRES: the settings have a vault.
  static Result<std::unique_ptr<RocksStore>> open(const RocksSettings& settings,
                                                  const Clock& clock);

  ~RocksStore() override;

  // Writes and answers what is waiting, then closes. Whatever comes after is Unavailable. Legal
  // twice.
  void close();

  // A copy of the store as it is now in a folder that is not there yet, while everything goes on.
  // On the same disk its files are links and cost nothing. Invalid if the folder would be in the
  // store's own. Takes as long as copying takes.
  Result<BackupReport> checkpoint(const std::string& to);

  // A checkpoint that costs next to nothing and can be copied at leisure: in kStagingName of the
  // store's own folder, of links only. One that is there already is replaced. It keeps its files on
  // the disk until whoever asked for it removes it.
  Result<BackupReport> stage();

  Result<std::vector<FamilySize>> sizes();

  // Makes room on disk of what is past its retention, now and for all families. Takes long.
  Status compact();

  void accept(std::vector<Acceptance> batch, AcceptDone done) override;
  void settle(std::vector<model::Settlement> batch, SettleDone done) override;
  void load_due(DueQuery query, Function<void(Result<DuePage>)> done) override;
  void load_payloads(std::vector<MessageId> messages, PayloadKeeper& keeper,
                     PayloadsDone done) override;
  Result<std::vector<EndpointId>> endpoints_with_live() override;

  void change(ChangeSet set, ChangeDone done) override;
  void purge(PurgeOrder order, PurgeDone done) override;

  StoreCondition condition() const override { return board_->condition(); }
  void prove(Function<void(StoreCondition)> done) override;

  Result<std::vector<model::Application>> all_applications() override;
  Result<std::vector<model::Endpoint>> all_endpoints() override;
  Result<std::vector<model::EventType>> all_event_types() override;
  Result<model::Application> application(ApplicationId id) override;
  Result<model::Endpoint> endpoint(EndpointId id) override;
  Result<std::vector<model::Delivery>> first_waiting(EndpointId endpoint) override;
  Result<model::EventType> event_type(OrganisationId organisation, std::string_view name) override;
  Result<std::optional<KnownAnswer>> kept_answer(std::string_view key) override;
  Result<std::vector<RevokeToken>> revoked_tokens() override;
  Result<KeptLanes> kept_lanes() override;
  Result<std::vector<model::Suspect>> suspects() override;
  Result<model::Message> message(ApplicationId application, MessageId id) override;
  Result<MessageId> message_by_event_id(ApplicationId application,
                                        std::string_view event_id) override;
  Result<Listed<model::Message>> messages(ApplicationId application, Page page) override;
  Result<model::Payload> payload(MessageId id) override;
  Result<model::Delivery> delivery(model::DeliveryKey key) override;
  Result<Listed<model::Delivery>> deliveries_of_endpoint(EndpointId endpoint, Page page) override;
  Result<std::vector<model::Delivery>> deliveries_of_message(MessageId message) override;
  Result<Listed<model::Delivery>> dead_letters(DeadQuery query) override;
  Result<Listed<model::Attempt>> attempts_of_message(MessageId message, AttemptFilter filter,
                                                     Page page) override;
  Result<Listed<model::Attempt>> attempts_of_endpoint(EndpointId endpoint, AttemptFilter filter,
                                                      Page page) override;
  Result<model::Task> task(OrganisationId organisation, TaskId id) override;
  Result<Listed<model::Task>> tasks(OrganisationId organisation, Page page) override;
  Result<std::vector<model::Task>> tasks_under_way() override;
  Result<EndpointTally> tally(EndpointId endpoint) override;
  EndpointTally totals() override { return totals_.sum(); }
  std::vector<QueueDepth> deepest(std::size_t most) override { return totals_.deepest(most); }
  Result<KeptSizes> kept(std::optional<ApplicationId> application) override;
  Result<std::vector<HourTally>> hours(EndpointId endpoint, WallTime since,
                                       WallTime until) override;
  Result<StoreCounts> count() override;

 private:
  RocksStore(const RocksSettings& settings, const Clock& clock);

  Status begin(std::unique_ptr<Database> database);

  Result<Purged> with_kept(Result<Purged> purged);

  // The open database for the length of one question. Unavailable while there is none.
  Result<std::shared_ptr<Database>> share() const;

  // The answer to a question to the open database. What is found damaged is noted.
  template <typename Question>
  auto ask(Question question) const -> std::invoke_result_t<Question, Database&> {
    const auto database = share();
    if (!database.ok()) return database.error();
    auto answer = question(**database);
    if (!answer.ok()) (*database)->note(answer.error(), "a record");
    return answer;
  }

  const Clock& clock_;
  const std::shared_ptr<ConditionBoard> board_;  // Shared with the database and its threads.
  const bool accepts_loss_;
  DatabaseSlot slot_;
  TallyView tallies_;
  TallyTotals totals_;
  Committer committer_;
  ThreadPool readers_;
  ThreadPool purger_;

  // Who waits for the one proof that is on its way, if any; see prove().
  std::mutex proof_mutex_;
  std::vector<Function<void(StoreCondition)>> proof_waiting_;
};

}  // namespace petrel::store
