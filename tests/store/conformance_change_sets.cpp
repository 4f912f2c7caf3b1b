// What change() means beyond single things: sets, kept answers, event types, tokens and expunging.
// For every kind of store.

#include "harness.h"

namespace petrel::store {
namespace {

using std::chrono::hours;

void expect_kind(const Status& status, ErrorKind kind) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, kind);
}

class ChangeSetTest : public StoreTest {
 protected:
  KeptAnswer kept(std::string key, Duration lasts = hours(12)) {
    return {.key = std::move(key),
            .body_hash = "hash",
            .expires_at = clock_.wall() + lasts,
            .status = 201,
            .body = R"({"id":"app_1"})"};
  }

  std::optional<KnownAnswer> known(std::string_view key) {
    return browse().kept_answer(key).value();
  }

  std::size_t applications() { return browse().all_applications()->size(); }
};

TEST_P(ChangeSetTest, ASetTakesEffectWholeAndEachSeesThoseBeforeIt) {
  const model::Application acme = make_.application("acme");
  model::Endpoint main = make_.endpoint(acme.id, "main");
  model::Endpoint moved = main;
  moved.uid = "moved";
  const model::Endpoint second = make_.endpoint(acme.id, "main");

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {CreateApplication{acme}, CreateEndpoint{main},
                                                    UpdateEndpoint{moved}, CreateEndpoint{second}}})
                  .ok());

  EXPECT_EQ(browse().all_applications().value(), std::vector{acme});
  EXPECT_EQ(browse().all_endpoints().value(), (std::vector{moved, second}));
}

TEST_P(ChangeSetTest, IfOneOfASetCannotBeNothingIs) {
  ASSERT_TRUE(create(store(), make_.application("taken")).ok());
  const model::Application fresh = make_.application("fresh");
  model::EventType type = make_.event_type("invoice.paid");

  expect_kind(change(store(), ChangeSet{.changes = {CreateApplication{fresh}, CreateEventType{type},
                                                    RevokeToken{"token", kNoon + hours(1)},
                                                    CreateApplication{make_.application("taken")}},
                                        .answer = kept("key")}),
              ErrorKind::Conflict);

  EXPECT_EQ(applications(), 1U);
  EXPECT_TRUE(browse().all_event_types()->empty());
  EXPECT_TRUE(browse().revoked_tokens()->empty());
  EXPECT_FALSE(known("key"));
  EXPECT_TRUE(create(store(), make_.application("fresh")).ok()) << "its uid must be free";
}

TEST_P(ChangeSetTest, AnAnswerIsKeptWithTheSet) {
  const KeptAnswer answer = kept("key");

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {CreateApplication{make_.application()}},
                                        .answer = answer})
                  .ok());

  EXPECT_EQ(known("key"), (KnownAnswer{.body_hash = "hash",
                                       .expires_at = answer.expires_at,
                                       .status = 201,
                                       .body = answer.body}));
  EXPECT_FALSE(known("other"));
}

TEST_P(ChangeSetTest, ASetWhoseAnswerIsKnownIsAConflictAndChangesNothing) {
  const auto create_keyed = [&] {
    return change(store(), ChangeSet{.changes = {CreateApplication{make_.application()}},
                                     .answer = kept("key")});
  };
  ASSERT_TRUE(create_keyed().ok());

  expect_kind(create_keyed(), ErrorKind::Conflict);
  EXPECT_EQ(applications(), 1U);

  clock_.pass(hours(12));
  EXPECT_FALSE(known("key"));
  EXPECT_TRUE(create_keyed().ok()) << "an answer that has expired is none";
  EXPECT_EQ(applications(), 2U);
}

TEST_P(ChangeSetTest, SetsThatAreUnderWayTogetherWithOneKeyTakeEffectOnce) {
  std::vector<std::future<Status>> answers;
  for (int i = 0; i < 50; ++i) {
    auto promise = std::make_shared<std::promise<Status>>();
    answers.push_back(promise->get_future());
    store().change({.changes = {CreateApplication{make_.application()}}, .answer = kept("key")},
                   [promise](Status status) { promise->set_value(std::move(status)); });
  }
  int done = 0;
  for (std::future<Status>& answer : answers) done += answer.get().ok() ? 1 : 0;

  EXPECT_EQ(done, 1);
  EXPECT_EQ(applications(), 1U);
}

TEST_P(ChangeSetTest, AMessageAndASetNeverShareAKey) {
  Acceptance message = make_.acceptance(make_.application_id(), {});
  message.idempotent = IdempotentAnswer{"of message", "hash", clock_.wall() + hours(1)};
  ASSERT_EQ(accept(store(), {message})->at(0).kind, Accepted::Kind::New);
  ASSERT_TRUE(change(store(), ChangeSet{.changes = {}, .answer = kept("of set")}).ok());

  expect_kind(change(store(), ChangeSet{.changes = {}, .answer = kept("of message")}),
              ErrorKind::Conflict);
  EXPECT_EQ(known("of message")->message, message.message.id);
  Acceptance second = make_.acceptance(make_.application_id(), {});
  second.idempotent = IdempotentAnswer{"of set", "hash", clock_.wall() + hours(1)};
  EXPECT_EQ(accept(store(), {second})->at(0).kind, Accepted::Kind::KeyReused);
}

TEST_P(ChangeSetTest, EventTypesAreCreatedUpdatedAndDeleted) {
  model::EventType paid = make_.event_type("invoice.paid");
  const model::EventType made = make_.event_type("invoice.made");
  ASSERT_TRUE(change(store(), CreateEventType{paid}).ok());
  ASSERT_TRUE(change(store(), CreateEventType{made}).ok());
  EXPECT_EQ(browse().all_event_types().value(), (std::vector{made, paid}));

  EXPECT_TRUE(change(store(), CreateEventType{paid}).ok()) << "it is there exactly so";
  paid.is_archived = true;
  expect_kind(change(store(), CreateEventType{paid}), ErrorKind::Conflict);
  ASSERT_TRUE(change(store(), UpdateEventType{paid}).ok());
  EXPECT_EQ(browse().all_event_types().value(), (std::vector{made, paid}));

  ASSERT_TRUE(change(store(), DeleteEventType{paid.organisation, paid.name}).ok());
  EXPECT_EQ(browse().all_event_types().value(), std::vector{made});
  expect_kind(change(store(), DeleteEventType{paid.organisation, paid.name}), ErrorKind::NotFound);
  expect_kind(change(store(), UpdateEventType{paid}), ErrorKind::NotFound);
}

TEST_P(ChangeSetTest, AnEventTypesNameIsTakenOncePerOrganisation) {
  model::EventType theirs = make_.event_type("invoice.paid");
  theirs.organisation = OrganisationId(make_.ksuid());
  theirs.description = "Another";

  ASSERT_TRUE(change(store(), CreateEventType{make_.event_type("invoice.paid")}).ok());
  EXPECT_TRUE(change(store(), CreateEventType{theirs}).ok());
}

TEST_P(ChangeSetTest, ARevokedTokenIsKnownUntilItExpires) {
  const RevokeToken first{"a", kNoon + hours(1)};
  const RevokeToken second{"b", kNoon + hours(2)};
  ASSERT_TRUE(change(store(), ChangeSet{.changes = {first, second}}).ok());
  ASSERT_TRUE(change(store(), first).ok());
  EXPECT_EQ(browse().revoked_tokens().value(), (std::vector{first, second}));

  clock_.pass(hours(1));
  EXPECT_EQ(browse().revoked_tokens().value(), std::vector{second});
}

TEST_P(ChangeSetTest, AnExpungedPayloadIsGoneAndItsMessageStays) {
  const ApplicationId application = make_.application_id();
  const Acceptance given = accepted(application, {make_.endpoint_id()});
  const MessageId id = given.message.id;

  ASSERT_TRUE(change(store(), ExpungePayload{application, id}).ok());
  ASSERT_TRUE(change(store(), ExpungePayload{application, id}).ok());

  EXPECT_EQ(browse().payload(id).value(), nullptr);
  EXPECT_EQ(browse().message(application, id).value(), given.message);
  EXPECT_EQ(browse().deliveries_of_message(id).value(), given.deliveries);
  EXPECT_EQ(accept(store(), {given})->at(0).kind, Accepted::Kind::New);
  EXPECT_EQ(browse().payload(id).value(), nullptr) << "a repetition must not bring it back";
}

TEST_P(ChangeSetTest, OnlyWhatIsThereIsExpunged) {
  const ApplicationId application = make_.application_id();
  const Acceptance given = accepted(application, {make_.endpoint_id()});

  expect_kind(change(store(), ExpungePayload{make_.application_id(), given.message.id}),
              ErrorKind::NotFound);
  expect_kind(change(store(),
                     ChangeSet{.changes = {ExpungePayload{application, given.message.id},
                                           ExpungePayload{application, MessageId(make_.ksuid())}}}),
              ErrorKind::NotFound);
  expect_kind(change(store(), ExpungeResponse{given.message.id, AttemptId(make_.ksuid())}),
              ErrorKind::NotFound);

  EXPECT_EQ(*browse().payload(given.message.id).value(), *given.payload);
}

TEST_P(ChangeSetTest, AnExpungedResponseIsAWordInItsPlace) {
  const EndpointId endpoint = make_.endpoint_id();
  const Acceptance given = accepted(make_.application_id(), {endpoint});
  model::Settlement settlement = make_.delivered(given.deliveries[0]);
  settlement.attempt->response = "the customer's name";
  ASSERT_TRUE(settle(store(), {settlement}).ok());

  ASSERT_TRUE(change(store(), ExpungeResponse{given.message.id, settlement.attempt->id}).ok());

  settlement.attempt->response = "EXPUNGED";
  EXPECT_EQ(browse().attempts_of_endpoint(endpoint, {}, {})->items,
            std::vector{*settlement.attempt});
}

// A delivery of an accepted message to an endpoint that it was not for.
model::Delivery another(const Acceptance& given, EndpointId endpoint) {
  model::Delivery delivery;
  delivery.key = {endpoint, given.message.id};
  delivery.application = given.message.application;
  delivery.due_at = delivery.updated_at = kNoon;
  delivery.is_manual = true;
  return delivery;
}

TEST_P(ChangeSetTest, AnAddedDeliveryIsDueAndBelongsToItsMessage) {
  const Acceptance given = accepted(make_.application_id(), {make_.endpoint_id()});
  const model::Delivery added = another(given, make_.endpoint_id());

  ASSERT_TRUE(change(store(), AddDelivery{added}).ok());

  EXPECT_EQ(browse().delivery(added.key).value(), added);
  EXPECT_EQ(load_due(store(), {.endpoint = added.key.endpoint})->deliveries, std::vector{added});
  EXPECT_EQ(browse().deliveries_of_message(given.message.id).value(),
            (std::vector{given.deliveries[0], added}));
  EXPECT_EQ(browse().tally(added.key.endpoint)->live_fresh, 1U);
  const model::Settlement success = make_.delivered(added);
  ASSERT_TRUE(settle(store(), {success}).ok());
  EXPECT_EQ(browse().delivery(added.key).value(), success.delivery);
}

TEST_P(ChangeSetTest, ADeliveryIsAddedOnceAndOnlyToAMessageThatIsThere) {
  const Acceptance given = accepted(make_.application_id(), {make_.endpoint_id()});
  model::Delivery added = another(given, make_.endpoint_id());
  ASSERT_TRUE(change(store(), AddDelivery{added}).ok());

  EXPECT_TRUE(change(store(), AddDelivery{added}).ok()) << "it is there exactly so";
  EXPECT_EQ(browse().deliveries_of_message(given.message.id)->size(), 2U);
  added.due_at += hours(1);
  expect_kind(change(store(), AddDelivery{added}), ErrorKind::Conflict);
  expect_kind(change(store(), AddDelivery{another(given, given.deliveries[0].key.endpoint)}),
              ErrorKind::Conflict);
  EXPECT_EQ(load_due(store(), {.endpoint = added.key.endpoint})->deliveries.size(), 1U);
  EXPECT_EQ(browse().tally(added.key.endpoint)->live_fresh, 1U);

  model::Delivery lost = another(given, make_.endpoint_id());
  lost.key.message = MessageId(make_.ksuid());
  expect_kind(change(store(), AddDelivery{lost}), ErrorKind::NotFound);
  EXPECT_EQ(browse().delivery(lost.key).error().kind, ErrorKind::NotFound);
}

INSTANTIATE_TEST_SUITE_P(Every, ChangeSetTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
