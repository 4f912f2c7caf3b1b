#include "api/recovery.h"

#include <deque>

#include <gtest/gtest.h>

#include "api/api_world.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using std::chrono::minutes;

struct RecoveryTest : testing::Test {
  // A delivery that died at `at`.
  model::DeliveryKey dead(WallTime at, bool has_payload = true) {
    store::Acceptance given;
    given.message.id = MessageId(maker.make(clock.now));
    given.message.application = application;
    given.message.endpoints = {endpoint};
    if (has_payload) given.payload = std::make_shared<const std::string>("{}");
    model::Delivery delivery;
    delivery.key = {endpoint, given.message.id};
    delivery.application = application;
    given.deliveries = {delivery};
    store.accept({given}, [](const auto& accepted) { EXPECT_TRUE(accepted.ok()); });
    model::Settlement death{
        .attempt = {}, .state_before = delivery.state, .due_before = {}, .delivery = delivery};
    death.delivery.state = DeliveryState::Dead;
    death.delivery.reason = policy::DeadReason::Exhausted;
    death.delivery.updated_at = at;
    store.settle({death}, [](const Status& status) { EXPECT_TRUE(status.ok()); });
    return delivery.key;
  }

  void start(WallTime since, WallTime until) {
    std::make_shared<Recovery>(
        Recovery::Parts{.store = store,
                        .browse = store,
                        .clock = clock,
                        .run_blocking = [this](Task task) { tasks.push_back(std::move(task)); },
                        .nudge = [this](EndpointId id) { nudged.push_back(id); },
                        .on_batch =
                            [this](const Result<RecoveryProgress>& progress) {
                              ASSERT_TRUE(progress.ok());
                              revived = progress->revived;
                              is_done = progress->is_done;
                            }},
        RecoveryWindow{application, endpoint, since, until})
        ->start();
  }

  void step() {
    ASSERT_FALSE(tasks.empty());
    const Task task = std::move(tasks.front());
    tasks.pop_front();
    task();
  }

  DeliveryState state(const model::DeliveryKey& key) { return store.delivery(key)->state; }

  HandClock clock;
  SeededSecureRandom random{3};
  KsuidMaker maker{random};
  ApplicationId application{maker.make(clock.now)};
  EndpointId endpoint{maker.make(clock.now)};
  store::MemoryStore store{clock};
  std::deque<Task> tasks;
  std::vector<EndpointId> nudged;
  std::size_t revived = 0;
  bool is_done = false;
};

TEST_F(RecoveryTest, RevivesWhatDiedInTheWindowAndNothingElse) {
  const auto before = dead(clock.now - minutes(61));
  const auto first = dead(clock.now - minutes(60));
  const auto last = dead(clock.now - minutes(1));
  const auto behind = dead(clock.now);

  start(clock.now - minutes(60), clock.now);
  step();

  EXPECT_TRUE(is_done);
  EXPECT_EQ(revived, 2U);
  EXPECT_EQ(state(before), DeliveryState::Dead);
  EXPECT_EQ(state(first), DeliveryState::Pending);
  EXPECT_TRUE(store.delivery(last)->is_manual);
  EXPECT_EQ(state(behind), DeliveryState::Dead);
  EXPECT_EQ(nudged, std::vector{endpoint});
  EXPECT_TRUE(tasks.empty());
}

TEST_F(RecoveryTest, GoesOnBatchByBatchAndEachIsDurableBeforeTheNext) {
  std::vector<model::DeliveryKey> keys;
  for (std::size_t i = 0; i < 2 * Recovery::kBatch + 1; ++i) {
    keys.push_back(dead(clock.now - minutes(30)));
  }
  start(clock.now - minutes(60), clock.now);

  step();
  EXPECT_FALSE(is_done);
  EXPECT_EQ(revived, Recovery::kBatch);
  EXPECT_EQ(store.dead_letters({.application = application, .limit = 500})->items.size(),
            Recovery::kBatch + 1);
  step();
  EXPECT_FALSE(is_done);
  step();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(revived, keys.size());
  EXPECT_EQ(nudged.size(), 3U);
  EXPECT_TRUE(tasks.empty());
}

TEST_F(RecoveryTest, WhatCannotBeSentStaysDead) {
  const auto gone = dead(clock.now - minutes(2), /*has_payload=*/false);
  const auto there = dead(clock.now - minutes(1));

  start(clock.now - minutes(60), clock.now);
  step();

  EXPECT_EQ(state(gone), DeliveryState::Dead);
  EXPECT_EQ(state(there), DeliveryState::Pending);
  EXPECT_EQ(revived, 1U);
}

TEST_F(RecoveryTest, WithNothingToDoItIsDoneAtOnce) {
  start(clock.now - minutes(60), clock.now);
  step();
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(nudged.empty());
}

}  // namespace
}  // namespace petrel::api
