// MemoryStore keeps everything in ordinary maps: the store of tests and of the simulation.
//
// It means the same as every other store (tests/store shows it) but nothing outlives it. A verb
// takes effect at once; its answer goes through `post`, so that a simulated world decides when it
// arrives, or drops it with the process that was waiting for it.
//
//   MemoryStore store(clock);                       answers before the verb returns
//   MemoryStore store(clock, [&](auto answer) {     answers when the world gets to it
//     world.later(std::move(answer));
//   });
//
// Thread: confined. The same calls always give the same answers.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/browse.h"
#include "store/encoding.h"
#include "store/memory/config_records.h"
#include "store/store.h"

namespace petrel::store {

class MemoryStore : public Store, public Browse {
 public:
  using Post = std::function<void(Function<void()>)>;

  explicit MemoryStore(const Clock& clock, Post post = {});

  void accept(std::vector<Acceptance> batch, AcceptDone done) override;
  void settle(std::vector<model::Settlement> batch, SettleDone done) override;
  void load_due(DueQuery query, Function<void(Result<DuePage>)> done) override;
  void load_payloads(std::vector<MessageId> messages, PayloadKeeper& keeper,
                     PayloadsDone done) override;
  Result<std::vector<EndpointId>> endpoints_with_live() override;

  void change(ChangeSet set, ChangeDone done) override;
  void purge(PurgeOrder order, PurgeDone done) override;

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
  EndpointTally totals() override;
  std::vector<QueueDepth> deepest(std::size_t most) override;
  Result<KeptSizes> kept(std::optional<ApplicationId> application) override;
  Result<std::vector<HourTally>> hours(EndpointId endpoint, WallTime since,
                                       WallTime until) override;
  Result<StoreCounts> count() override;

 private:
  struct Kept {
    model::Message message;
    model::Payload payload;
  };
  using DueKey = std::tuple<EndpointId, DueClass, DuePosition>;
  using DeadKey = std::pair<ApplicationId, DeadPosition>;

  Accepted accept_one(Acceptance acceptance);
  LoadedPayload find_payload(MessageId id) const;
  LoadedPayload read_payload(MessageId id, PayloadKeeper& keeper) const;
  Settled settle_one(model::Settlement settlement);
  Settled without_effect(const model::Settlement& settlement, const DeliveryHead& stored) const;
  Status try_out(const ChangeSet& set);

  // What retention needs to know of a message, and where its lists are.
  struct Look {
    model::Inventory inventory;
    std::vector<model::DeliveryKey> deliveries;
    std::vector<AttemptId> attempts;
  };
  Look look(const Kept& kept) const;
  void drop(const Look& look, const model::Disposal& over, MessageId message, Purged& purged);

  Status check(const ExpungePayload& change) const;
  Status check(const ExpungeResponse& change) const;
  Status check(const AddDelivery& change) const;
  Status check(const KeepLane&) const { return Done{}; }
  Status check(const KeepSuspect&) const { return Done{}; }
  void carry_out(const ExpungePayload& change);
  void carry_out(const ExpungeResponse& change);
  void carry_out(const AddDelivery& change);
  void carry_out(const KeepLane& change);
  void carry_out(const KeepSuspect& change);
  void index(const model::Delivery& delivery);
  void unindex(const model::Delivery& delivery);
  void forget_payload(Kept& kept);

  template <typename Done, typename Answer>
  void answer(Done done, Answer what) {
    post_([done = std::move(done), what = std::move(what)]() mutable { done(std::move(what)); });
  }

  const Clock& clock_;
  Post post_;

  ConfigRecords records_;
  std::map<std::pair<ApplicationId, std::string>, MessageId> event_ids_;
  std::map<std::string, KnownAnswer, std::less<>> answers_;

  std::map<MessageId, Kept> messages_;
  std::set<std::pair<ApplicationId, MessageId>> messages_of_application_;
  std::map<model::DeliveryKey, model::Delivery> deliveries_;
  std::set<DueKey> due_;    // Exactly the live deliveries.
  std::set<DeadKey> dead_;  // Exactly the dead ones.
  std::map<std::pair<MessageId, AttemptId>, model::Attempt> attempts_;
  std::map<std::pair<EndpointId, AttemptId>, MessageId> attempts_of_endpoint_;
  std::map<EndpointId, std::string> lanes_;
  std::map<model::DeliveryKey, model::Suspect> suspects_;
  std::map<std::pair<EndpointId, WallTime>, HourTally> hours_;
  KeptSizes kept_;               // Of everything.
  std::size_t own_periods_ = 0;  // Messages that came with a period for their payload.
  Sequence sequence_ = 0;
};

}  // namespace petrel::store
