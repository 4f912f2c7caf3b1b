// What accept() means, for every kind of store.

#include "harness.h"

namespace petrel::store {
namespace {

using enum Accepted::Kind;

class AcceptTest : public StoreTest {
 protected:
  Acceptance keyed(const std::string& key, const std::string& body_hash,
                   Duration lasts = std::chrono::hours(12)) {
    Acceptance made = make_.acceptance(application_, {endpoint_});
    made.idempotent = IdempotentAnswer{key, body_hash, clock_.wall() + lasts};
    return made;
  }

  Acceptance with_event_id(ApplicationId application, const std::string& event_id) {
    Acceptance made = make_.acceptance(application, {endpoint_});
    made.message.event_id = event_id;
    return made;
  }

  Accepted accept_one(Acceptance acceptance) {
    const auto answers = accept(store(), {std::move(acceptance)});
    EXPECT_TRUE(answers.ok());
    EXPECT_EQ(answers->size(), 1U);
    return answers->at(0);
  }

  std::uint64_t messages() { return browse().count()->messages; }

  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

TEST_P(AcceptTest, KeepsTheMessageItsPayloadAndItsDeliveries) {
  const EndpointId other = make_.endpoint_id();
  Acceptance given = make_.acceptance(application_, {endpoint_, other});
  given.message.channels = {"eu", "us"};
  given.message.tags = {"billing"};
  given.message.deliver_at = kNoon + std::chrono::hours(1);
  given.message.content_type = "text/xml";
  given.message.payload_expires_at = kNoon + std::chrono::days(1);
  given.deliveries[0].is_scheduled = true;
  given.deliveries[1].is_manual = true;

  const Accepted answer = accept_one(given);

  EXPECT_EQ(answer.kind, New);
  EXPECT_EQ(answer.message, given.message.id);
  EXPECT_EQ(browse().message(application_, given.message.id).value(), given.message);
  EXPECT_EQ(*browse().payload(given.message.id).value(), *given.payload);
  EXPECT_EQ(browse().deliveries_of_message(given.message.id).value(), given.deliveries);
  EXPECT_EQ(browse().delivery(given.deliveries[1].key).value(), given.deliveries[1]);
}

TEST_P(AcceptTest, AnswersEachOfABatchInTheirOrder) {
  std::vector<Acceptance> batch;
  for (int i = 0; i < 20; ++i) batch.push_back(make_.acceptance(application_, {endpoint_}));

  const auto answers = accept(store(), batch);

  ASSERT_EQ(answers->size(), batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(answers->at(i).message, batch[i].message.id);
  }
}

TEST_P(AcceptTest, AnEmptyBatchIsAnswered) { EXPECT_TRUE(accept(store(), {})->empty()); }

TEST_P(AcceptTest, WhatIsAcceptedOnlyIfRepeatedNeverMakesAMessage) {
  const auto asked_for = [this](const std::string& key, const std::string& body_hash) {
    Acceptance made = keyed(key, body_hash);
    made.message.event_id = "e-1";
    made.only_if_repeated = true;
    return made;
  };
  EXPECT_EQ(accept_one(asked_for("key", "hash")).kind, NotRepeated);
  EXPECT_EQ(messages(), 0U);

  Acceptance first = keyed("key", "hash");
  first.message.event_id = "e-1";
  ASSERT_EQ(accept_one(first).kind, New);
  const Accepted repeated = accept_one(asked_for("key", "hash"));
  EXPECT_EQ(repeated.kind, Repeated);
  EXPECT_EQ(repeated.message, first.message.id);
  EXPECT_EQ(accept_one(asked_for("key", "other")).kind, KeyReused);
  EXPECT_EQ(messages(), 1U);
}

TEST_P(AcceptTest, AMessageForNobodyIsKept) {
  const Acceptance given = accepted(application_, {});

  EXPECT_TRUE(browse().message(application_, given.message.id).ok());
  EXPECT_TRUE(browse().deliveries_of_message(given.message.id)->empty());
}

TEST_P(AcceptTest, PayloadsComeBackByteForByte) {
  Acceptance binary = make_.acceptance(application_, {endpoint_});
  std::string bytes;
  for (int i = 0; i < 1024 * 1024; ++i) bytes.push_back(static_cast<char>(i * 7));
  binary.payload = std::make_shared<const std::string>(bytes);
  Acceptance empty = make_.acceptance(application_, {endpoint_});
  empty.payload = std::make_shared<const std::string>();
  ASSERT_TRUE(accept(store(), {binary, empty}).ok());

  const auto payloads = load_payloads(store(), {empty.message.id, binary.message.id});

  ASSERT_EQ(payloads->size(), 2U);
  EXPECT_EQ(*payloads->at(0).bytes, "");
  EXPECT_TRUE(*payloads->at(1).bytes == bytes);
}

TEST_P(AcceptTest, APayloadThatIsNotThereIsNull) {
  const Acceptance given = accepted(application_, {endpoint_});

  const auto payloads = load_payloads(store(), {MessageId(make_.ksuid()), given.message.id});

  ASSERT_EQ(payloads->size(), 2U);
  EXPECT_EQ(payloads->at(0).bytes, nullptr);
  EXPECT_NE(payloads->at(1).bytes, nullptr);
  EXPECT_EQ(browse().payload(MessageId(make_.ksuid())).value(), nullptr);
}

TEST_P(AcceptTest, APayloadComesWithItsContentType) {
  Acceptance given = make_.acceptance(application_, {endpoint_});
  given.message.content_type = "text/xml";
  ASSERT_EQ(accept_one(given).kind, New);

  EXPECT_EQ(load_payloads(store(), {given.message.id})->at(0).content_type, "text/xml");
}

TEST_P(AcceptTest, TheSameMessageAgainIsNewAgainAndChangesNothing) {
  const Acceptance given = accepted(application_, {endpoint_});
  ASSERT_TRUE(settle(store(), {make_.delivered(given.deliveries[0])}).ok());

  EXPECT_EQ(accept_one(given).kind, New);

  EXPECT_EQ(messages(), 1U);
  EXPECT_EQ(browse().delivery(given.deliveries[0].key)->state, model::DeliveryState::Delivered);
  EXPECT_TRUE(load_due(store(), {.endpoint = endpoint_})->deliveries.empty());
}

TEST_P(AcceptTest, TheSameMessageTwiceInOneBatchIsKeptOnce) {
  const Acceptance given = make_.acceptance(application_, {endpoint_});

  const auto answers = accept(store(), {given, given});

  EXPECT_EQ(answers->at(0).kind, New);
  EXPECT_EQ(answers->at(1).kind, New);
  EXPECT_EQ(messages(), 1U);
  EXPECT_EQ(load_due(store(), {.endpoint = endpoint_})->deliveries.size(), 1U);
}

TEST_P(AcceptTest, AnIdempotencyKeyWithTheSameBodyGivesTheFirstMessage) {
  const Acceptance first = keyed("key", "hash");
  ASSERT_EQ(accept_one(first).kind, New);

  const Accepted answer = accept_one(keyed("key", "hash"));

  EXPECT_EQ(answer.kind, Repeated);
  EXPECT_EQ(answer.message, first.message.id);
  EXPECT_EQ(messages(), 1U);
}

TEST_P(AcceptTest, AnIdempotencyKeyWithAnotherBodyIsRefused) {
  ASSERT_EQ(accept_one(keyed("key", "hash")).kind, New);

  EXPECT_EQ(accept_one(keyed("key", "other")).kind, KeyReused);
  EXPECT_EQ(messages(), 1U);
}

TEST_P(AcceptTest, AnIdempotencyKeyIsKnownWithinOneBatch) {
  const Acceptance first = keyed("key", "hash");

  const auto answers =
      accept(store(), {first, keyed("key", "hash"), keyed("key", "other"), keyed("b", "hash")});

  EXPECT_EQ(answers->at(0).kind, New);
  EXPECT_EQ(answers->at(1).kind, Repeated);
  EXPECT_EQ(answers->at(1).message, first.message.id);
  EXPECT_EQ(answers->at(2).kind, KeyReused);
  EXPECT_EQ(answers->at(3).kind, New);
}

TEST_P(AcceptTest, AnIdempotencyKeyIsFreeOnceItHasExpired) {
  ASSERT_EQ(accept_one(keyed("key", "hash", std::chrono::hours(1))).kind, New);
  clock_.pass(std::chrono::hours(1));

  const Acceptance second = keyed("key", "hash");
  EXPECT_EQ(accept_one(second).kind, New);
  EXPECT_EQ(accept_one(keyed("key", "hash")).message, second.message.id);
}

TEST_P(AcceptTest, RepeatingAnAcceptanceWithItsKeyIsNewAgain) {
  const Acceptance given = keyed("key", "hash");
  ASSERT_EQ(accept_one(given).kind, New);

  EXPECT_EQ(accept_one(given).kind, New);
}

TEST_P(AcceptTest, AnEventIdIsTakenOncePerApplication) {
  const Acceptance first = with_event_id(application_, "evt-1");
  ASSERT_EQ(accept_one(first).kind, New);

  const Accepted answer = accept_one(with_event_id(application_, "evt-1"));

  EXPECT_EQ(answer.kind, EventIdTaken);
  EXPECT_EQ(answer.message, first.message.id);
  EXPECT_EQ(messages(), 1U);
  EXPECT_EQ(accept_one(with_event_id(application_, "evt-2")).kind, New);
  EXPECT_EQ(accept_one(with_event_id(make_.application_id(), "evt-1")).kind, New);
}

TEST_P(AcceptTest, AnEventIdIsTakenWithinOneBatch) {
  const auto answers =
      accept(store(), {with_event_id(application_, "evt-1"), with_event_id(application_, "evt-1")});

  EXPECT_EQ(answers->at(0).kind, New);
  EXPECT_EQ(answers->at(1).kind, EventIdTaken);
}

TEST_P(AcceptTest, WhatWasRefusedLeavesNoTrace) {
  ASSERT_EQ(accept_one(with_event_id(application_, "evt-1")).kind, New);
  Acceptance refused = with_event_id(application_, "evt-1");
  refused.idempotent = IdempotentAnswer{"key", "hash", clock_.wall() + std::chrono::hours(1)};
  ASSERT_EQ(accept_one(refused).kind, EventIdTaken);

  EXPECT_EQ(browse().payload(refused.message.id).value(), nullptr);
  EXPECT_FALSE(browse().delivery(refused.deliveries[0].key).ok());
  EXPECT_EQ(load_due(store(), {.endpoint = endpoint_})->deliveries.size(), 1U);
  EXPECT_EQ(accept_one(keyed("key", "hash")).kind, New);
}

TEST_P(AcceptTest, AMessageIsFoundByItsEventId) {
  const Acceptance given = with_event_id(application_, "evt-1");
  ASSERT_EQ(accept_one(given).kind, New);

  EXPECT_EQ(browse().message_by_event_id(application_, "evt-1").value(), given.message.id);
  const auto missing = browse().message_by_event_id(application_, "evt-2");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(browse().message_by_event_id(make_.application_id(), "evt-1").ok());
}

INSTANTIATE_TEST_SUITE_P(Every, AcceptTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
