#include "replay/walk.h"

#include "replay/testing/dead_world.h"

namespace petrel::replay {
namespace {

using model::DeliveryKey;
using model::DeliveryState;
using model::TaskType;
using policy::DeadReason;
using std::chrono::hours;
using Keys = std::vector<DeliveryKey>;

class WalkTest : public DeadWorld {
 protected:
  // All that it takes, a few at a time.
  Keys taken(const model::Task& made, std::size_t limit = 2,
             const model::Endpoint* missing = nullptr) {
    Keys keys;
    skipped = 0;
    model::EndpointCursor cursor{.endpoint = made.selection.endpoint.value_or(endpoint)};
    for (int steps = 0; steps < 100; ++steps) {
      const auto step = Walk{store, made, missing}.next(cursor, limit, clock.wall());
      EXPECT_LE(step->done() + step->skipped, limit);
      for (const auto& settlement : step->settlements) keys.push_back(settlement.delivery.key);
      for (const auto& delivery : step->additions) keys.push_back(delivery.key);
      for (const auto& id : step->expunged) keys.push_back({EndpointId(), id});
      skipped += step->skipped;
      if (!step->has_more) return keys;
      cursor = step->cursor;
    }
    ADD_FAILURE() << "it does not come to an end";
    return keys;
  }

  std::uint64_t counted(model::Task made) {
    begin_legs(made);
    Count count;
    for (int steps = 0; steps < 100 && !count.is_done; ++steps) {
      count = Walk{store, made}.count_on(count, clock.wall()).value();
    }
    EXPECT_TRUE(count.is_done);
    return count.matched;
  }

  std::uint64_t skipped = 0;
};

TEST_F(WalkTest, TakesEveryDeadLetterOnceInTheOrderOfTheirDeaths) {
  Keys all;
  for (int i = 0; i < 5; ++i) all.push_back(dead(endpoint));
  dead(make_endpoint());

  for (const std::size_t limit : {1U, 2U, 5U, 100U}) EXPECT_EQ(taken(task(), limit), all);
}

TEST_F(WalkTest, WhatDiesAfterTheTaskBeganIsNotMeant) {
  const DeliveryKey before = dead(endpoint);
  const model::Task made = task();
  dead(endpoint);

  EXPECT_EQ(taken(made), Keys{before});
}

TEST_F(WalkTest, TakesOnlyWhatDiedInItsTime) {
  dead(endpoint);
  clock.time += hours(1);
  model::Task made = task();
  made.selection.since = clock.wall();
  const DeliveryKey first = dead(endpoint);
  const DeliveryKey second = dead(endpoint);
  made.selection.until = clock.wall();
  clock.time += hours(1);
  dead(endpoint);

  EXPECT_EQ(taken(made), (Keys{first, second}));
}

TEST_F(WalkTest, TakesOnlyTheReasonsAndTypesThatItIsAbout) {
  dead(endpoint, DeadReason::Permanent);
  const DeliveryKey expired = dead(endpoint, DeadReason::Expired);
  dead(endpoint, DeadReason::Expired, "order.lost");
  model::Task made = task();
  made.selection.reasons = {DeadReason::Expired, DeadReason::Gone};
  made.selection.event_types = {"order.paid"};

  EXPECT_EQ(taken(made), Keys{expired});
}

TEST_F(WalkTest, WhatHasNoPayloadAnyMoreIsSkipped) {
  dead(endpoint, DeadReason::Exhausted, "order.paid", /*has_payload=*/false);
  const DeliveryKey whole = dead(endpoint);

  EXPECT_EQ(taken(task()), Keys{whole});
  EXPECT_EQ(skipped, 1U);
}

TEST_F(WalkTest, WhatIsDamagedIsSkippedAndTheOthersGoOn) {
  Keys all;
  for (int i = 0; i < 4; ++i) all.push_back(dead(endpoint));
  clock.time += hours(1);
  store.damaged_payloads = {all[1].message};
  store.damaged_messages = {all[2].message};

  for (const TaskType type : {TaskType::Recover, TaskType::BulkReplay}) {
    model::Task made = task(type);
    made.selection.event_types = {"order.paid"};  // So the messages are looked into.
    for (const std::size_t limit : {1U, 100U}) {
      EXPECT_EQ(taken(made, limit), (Keys{all[0], all[3]}));
      EXPECT_EQ(skipped, 2U);
    }
    made.selection.endpoint = endpoint;
    EXPECT_EQ(counted(made), 3U) << "payloads are not looked at";
  }
}

TEST_F(WalkTest, WhatMayHaveBeenMissedButIsDamagedIsSkipped) {
  model::Endpoint late(signature::KeyRing{signature::Secret::generate(random)});
  late.id = endpoint;
  store.damaged_deliveries = {message({endpoint})};
  const MessageId missed = message({});
  store.damaged_payloads = {message({})};
  clock.time += hours(1);

  EXPECT_EQ(taken(task(TaskType::ReplayMissing), 2, &late), (Keys{{endpoint, missed}}));
  EXPECT_EQ(skipped, 2U);
}

TEST_F(WalkTest, ADamagedPayloadIsExpungedLikeAnyOther) {
  const MessageId damaged = message({});
  store.damaged_payloads = {damaged};
  clock.time += hours(1);

  EXPECT_EQ(taken(task(TaskType::ExpungeContent)), (Keys{{EndpointId(), damaged}}));
}

TEST_F(WalkTest, CountsWhatFitsWithoutLookingAtPayloads) {
  dead(endpoint, DeadReason::Exhausted, "order.paid", /*has_payload=*/false);
  dead(endpoint);
  dead(endpoint, DeadReason::Gone);
  model::Task made = task();
  made.selection.reasons = {DeadReason::Exhausted};

  EXPECT_EQ(counted(made), 2U);
}

TEST_F(WalkTest, CountsOverAllEndpointsUnlessItIsAboutOne) {
  EXPECT_EQ(counted(task()), 0U);
  dead(endpoint);
  dead(make_endpoint());
  dead(make_endpoint());
  model::Task made = task();

  EXPECT_EQ(counted(made), 3U);
  made.selection.endpoint = endpoint;
  EXPECT_EQ(counted(made), 1U);
}

TEST_F(WalkTest, ALongWalkIsMadeInStretches) {
  for (std::size_t i = 0; i <= kLookMax; ++i) dead(endpoint, DeadReason::Gone);
  const DeliveryKey wanted = dead(endpoint);
  model::Task made = task();
  made.selection.reasons = {DeadReason::Exhausted};

  const auto first = Walk{store, made}.next({.endpoint = endpoint}, 10, clock.wall());
  EXPECT_EQ(first->done(), 0U);
  EXPECT_TRUE(first->has_more);
  EXPECT_EQ(taken(made), Keys{wanted});
  EXPECT_EQ(counted(made), 1U);
}

TEST_F(WalkTest, WhatComesBeforeAFailingReadIsTakenAndTheRestLater) {
  Keys all;
  for (int i = 0; i < 5; ++i) all.push_back(dead(endpoint));
  store.payloads_until_fault = 3;

  const auto first = Walk{store, task()}.next({.endpoint = endpoint}, 10, clock.wall());

  EXPECT_EQ(first->done(), 3U);
  EXPECT_TRUE(first->has_more);
  const auto rest = Walk{store, task()}.next(first->cursor, 10, clock.wall());
  EXPECT_EQ(rest->done(), 2U);
  EXPECT_FALSE(rest->has_more);
}

TEST_F(WalkTest, WithNothingBeforeTheFailingReadTheStepFails) {
  dead(endpoint);
  store.payloads_until_fault = 0;
  model::Task made = task();
  made.selection.since = clock.wall() - hours(1);

  const auto step = Walk{store, made}.next({.endpoint = endpoint}, 10, clock.wall());

  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().kind, ErrorKind::Unavailable);
}

TEST_F(WalkTest, AStepThatTakesLittleReadsLittle) {
  for (int i = 0; i < 200; ++i) message({});
  clock.time += hours(1);

  const auto step = Walk{store, task(TaskType::ExpungeContent)}.next({}, 1, clock.wall());

  EXPECT_EQ(step->done(), 1U);
  EXPECT_LE(store.messages_listed, 10U);
}

TEST_F(WalkTest, DiscardingTakesThemOffTheListAndNeedsNoPayload) {
  const DeliveryKey key = dead(endpoint, DeadReason::Exhausted, "a", /*has_payload=*/false);

  const auto step = Walk{store, task(TaskType::Discard)}.next({.endpoint = endpoint}, 9, kNoon);

  ASSERT_EQ(step->settlements.size(), 1U);
  EXPECT_EQ(step->settlements[0].delivery.key, key);
  EXPECT_EQ(step->settlements[0].delivery.state, DeliveryState::Discarded);
}

TEST_F(WalkTest, ABulkReplayTakesWhatHasEndedAndLeavesAloneWhatIsOnItsWay) {
  const DeliveryKey lost = dead(endpoint);
  const DeliveryKey delivered{endpoint, message({endpoint})};
  settle(delivered, DeliveryState::Delivered, {}, 200);
  message({endpoint});
  clock.time += hours(1);
  model::Task made = task(TaskType::BulkReplay);

  EXPECT_EQ(taken(made), (Keys{lost, delivered}));
  made.selection.is_delivered = true;
  EXPECT_EQ(taken(made), Keys{delivered});
  made.selection.is_delivered = false;
  EXPECT_EQ(taken(made), Keys{lost});
  made.selection.is_delivered.reset();
  made.selection.status_class = 5;
  EXPECT_EQ(taken(made), Keys{lost});
}

TEST_F(WalkTest, ABulkReplayTakesOnlyMessagesOfItsTime) {
  dead(endpoint);
  clock.time += hours(1);
  model::Task made = task(TaskType::BulkReplay);
  made.selection.since = clock.wall();
  const DeliveryKey within = dead(endpoint);
  clock.time += hours(1);
  made.selection.until = clock.wall();
  clock.time += hours(1);
  dead(endpoint);

  EXPECT_EQ(taken(made), Keys{within});
}

TEST_F(WalkTest, TakesTheMessagesThatAnEndpointWantsAndHasMissed) {
  model::Endpoint late(signature::KeyRing{signature::Secret::generate(random)});
  late.id = endpoint;
  late.event_types = {"order.paid"};
  const MessageId missed = message({});
  message({}, "order.lost");
  message({endpoint});
  message({}, "order.paid", /*has_payload=*/false);
  clock.time += hours(1);
  const model::Task made = task(TaskType::ReplayMissing);

  EXPECT_EQ(taken(made, 2, &late), (Keys{{endpoint, missed}}));
  EXPECT_EQ(skipped, 1U);
  EXPECT_TRUE(taken(made, 2, nullptr).empty()) << "its endpoint was deleted";
}

TEST_F(WalkTest, AMissedMessageIsNotSentBeforeItsProducerWantsIt) {
  model::Endpoint late(signature::KeyRing{signature::Secret::generate(random)});
  late.id = endpoint;
  store::Acceptance given;
  given.message.id = MessageId(maker.make(clock.wall()));
  given.message.application = application;
  given.message.deliver_at = clock.wall() + hours(3);
  given.payload = std::make_shared<const std::string>("{}");
  store.accept({given}, [](const auto& accepted) { EXPECT_TRUE(accepted.ok()); });
  clock.time += hours(1);
  const model::Task made = task(TaskType::ReplayMissing);
  const Walk walk{store, made, &late};

  const auto ahead = walk.next({.endpoint = endpoint}, 1, clock.wall());
  EXPECT_EQ(ahead->additions.at(0).due_at, *given.message.deliver_at);
  EXPECT_TRUE(ahead->additions.at(0).is_scheduled);

  clock.time += hours(5);
  const auto past = walk.next({.endpoint = endpoint}, 1, clock.wall());
  EXPECT_EQ(past->additions.at(0).due_at, clock.wall());
  EXPECT_FALSE(past->additions.at(0).is_scheduled);
}

TEST_F(WalkTest, ExpungesThePayloadsThatAreThere) {
  const MessageId first = message({});
  message({}, "order.paid", /*has_payload=*/false);
  const MessageId third = message({});
  clock.time += hours(1);

  const Keys all = {{EndpointId(), first}, {EndpointId(), third}};
  EXPECT_EQ(taken(task(TaskType::ExpungeContent)), all);
}

TEST_F(WalkTest, FindsTheEndpointsThatHaveDeadLettersInTheirOrder) {
  const EndpointId second = make_endpoint();
  dead(second);
  dead(second);
  dead(endpoint);
  const model::Task made = task();
  const Walk walk{store, made};

  EXPECT_EQ(walk.next_endpoint({}).value(), std::min(endpoint, second));
  EXPECT_EQ(walk.next_endpoint(std::min(endpoint, second)).value(), std::max(endpoint, second));
  EXPECT_EQ(walk.next_endpoint(std::max(endpoint, second)).value(), std::nullopt);
}

}  // namespace
}  // namespace petrel::replay
