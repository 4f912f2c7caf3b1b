#include "replay/replayer.h"

#include <set>

#include "replay/testing/dead_world.h"

namespace petrel::replay {
namespace {

using model::DeliveryKey;
using model::TaskState;
using model::TaskType;
using std::chrono::minutes;
using std::chrono::seconds;
using Mood = MoodyStore::Mood;

// Does it at once.
struct PromptPool final : BlockingPool {
  bool run(Function<void()> work) override {
    work();
    return true;
  }
};

class ReplayerTest : public DeadWorld {
 protected:
  ReplayerTest() { live_again(); }

  // The process dies and starts again: nothing is left but the store.
  void live_again() {
    replayer.reset();
    replayer = std::make_unique<Replayer>(
        TaskRun::Parts{.loop = loop,
                       .clock = clock,
                       .browse = store,
                       .pool = pool,
                       .commit =
                           [this](store::ChangeSet set, Function<void(Status)> done) {
                             note_lanes(set);
                             store.change(std::move(set), std::move(done));
                           },
                       .ask =
                           [this](EndpointId id, const std::function<void(Readiness)>& answer) {
                             answer(readiness.contains(id) ? readiness.at(id) : Readiness::Ready);
                           },
                       .endpoint = [this](EndpointId id) { return endpoints[id]; },
                       .ended = [this](const model::Task& each) { ended.push_back(each); }});
  }

  // Whose lanes have something new to find in the store by this set.
  void note_lanes(const store::ChangeSet& set) {
    for (const model::Settlement& each : set.settlements) {
      if (each.delivery.is_live()) nudged.insert(each.delivery.key.endpoint);
    }
    for (const store::Change& each : set.changes) {
      const auto* added = std::get_if<store::AddDelivery>(&each);
      if (added != nullptr) nudged.insert(added->delivery.key.endpoint);
    }
  }

  model::Task begun(model::Task made) {
    begin_legs(made);
    store.MemoryStore::change({.changes = {store::CreateTask{made}}},
                              [](const Status& status) { EXPECT_TRUE(status.ok()); });
    replayer->wake(made.organisation, made.id);
    return made;
  }

  void change_state(const model::Task& made, TaskState state) {
    model::Task next = stored(made);
    ++next.revision;
    next.state = state;
    store.MemoryStore::change({.changes = {store::UpdateTask{next}}},
                              [](const Status& status) { EXPECT_TRUE(status.ok()); });
    replayer->wake(made.organisation, made.id);
  }

  void pass(Duration time) { loop.run_for(clock, time); }

  // Answers everything that is on its way, once.
  void answer_all(bool is_good) {
    for (const DeliveryKey& key : keys) {
      if (!is_pending(key) || answered.contains(key)) continue;
      answered.insert(key);
      replayer->answered(key, is_good);
    }
  }

  void make_dead(int count, EndpointId of) {
    for (int i = 0; i < count; ++i) keys.push_back(dead(of));
  }

  std::size_t pending() {
    std::size_t count = 0;
    for (const DeliveryKey& key : keys) count += is_pending(key) ? 1 : 0;
    return count;
  }

  static model::Pacing constant(int rate) {
    return {.rate_per_minute = rate, .rate_per_minute_max = rate, .has_ramp = false};
  }

  std::map<EndpointId, Readiness> readiness;
  std::map<EndpointId, std::shared_ptr<const model::Endpoint>> endpoints;
  std::set<EndpointId> nudged;
  PromptPool pool;
  std::vector<model::Task> ended;
  std::set<DeliveryKey> answered;
  std::vector<DeliveryKey> keys;
  std::unique_ptr<Replayer> replayer;
};

TEST_F(ReplayerTest, PutsDeadLettersBackAtItsRateAndFinishes) {
  make_dead(10, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  begun(made);

  loop.run();
  EXPECT_EQ(pending(), 1U) << "the first one at once";
  pass(seconds(4));
  EXPECT_EQ(pending(), 5U);
  EXPECT_EQ(stored(made).progress.total, 10U);
  EXPECT_TRUE(nudged.contains(endpoint));
  pass(seconds(6));
  answer_all(/*is_good=*/true);
  loop.run();

  const model::Task finished = stored(made);
  EXPECT_EQ(finished.state, TaskState::Finished);
  EXPECT_EQ(finished.progress.done, 10U);
  EXPECT_EQ(finished.progress.succeeded, 10U);
  EXPECT_EQ(replayer->under_way(), 0U);
  EXPECT_EQ(ended, std::vector{finished});
}

TEST_F(ReplayerTest, AtAHighRateOneCommitServesMany) {
  make_dead(1000, endpoint);
  model::Task made = task();
  made.pacing = constant(6000);
  begun(made);

  pass(seconds(5));

  EXPECT_NEAR(static_cast<double>(pending()), 500, 15);
  EXPECT_LE(store.changes, 60);
}

TEST_F(ReplayerTest, FinishesWithoutTheLastAnswersAfterAWhile) {
  make_dead(1, endpoint);
  const model::Task made = begun(task());

  pass(TaskRun::kLastAnswers - seconds(1));
  EXPECT_EQ(stored(made).state, TaskState::Running);
  pass(seconds(2));
  EXPECT_EQ(stored(made).state, TaskState::Finished);
}

TEST_F(ReplayerTest, WithNothingToDoItIsFinishedAtOnce) {
  const model::Task made = begun(task());

  loop.run();

  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).progress.total, 0U);
}

TEST_F(ReplayerTest, D9_SpeedsUpWhileTheAnswersAreGood) {
  make_dead(700, endpoint);
  const model::Task made = begun(task());
  for (int i = 0; i < 185; ++i) {
    pass(seconds(1));
    answer_all(/*is_good=*/true);
  }

  // 100 in the first minute, 200 in the second, 400 in the third.
  EXPECT_EQ(stored(made).state, TaskState::Finished);
}

TEST_F(ReplayerTest, D9_SlowsDownWhenTheAnswersAreBad) {
  make_dead(200, endpoint);
  const model::Task made = begun(task());
  for (int i = 0; i < 120; ++i) {
    pass(seconds(1));
    answer_all(/*is_good=*/false);
  }

  EXPECT_LT(pending(), 50U);
  EXPECT_LT(stored(made).progress.rate_per_minute, 20);
}

TEST_F(ReplayerTest, StandsStillWhileTheEndpointTakesNothing) {
  make_dead(10, endpoint);
  model::Task made = task();
  made.pacing = constant(6000);
  readiness[endpoint] = Readiness::Blocked;
  begun(made);

  pass(minutes(10));
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(stored(made).state, TaskState::Running);
  readiness[endpoint] = Readiness::Ready;
  pass(seconds(2));
  EXPECT_EQ(pending(), 10U);
}

TEST_F(ReplayerTest, OneEndpointThatTakesNothingDoesNotHoldUpTheOthers) {
  const EndpointId stuck = make_endpoint();
  make_dead(3, stuck);
  make_dead(3, endpoint);
  readiness[stuck] = Readiness::Blocked;
  model::Task made = task();
  made.pacing = constant(600);
  begun(made);

  pass(minutes(1));

  EXPECT_EQ(pending(), 3U);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(is_pending(keys[i]));
  EXPECT_EQ(stored(made).progress.total, 6U);
}

TEST_F(ReplayerTest, WhatADeletedEndpointHasIsLeftAlone) {
  make_dead(3, endpoint);
  readiness[endpoint] = Readiness::Deleted;
  const model::Task made = begun(task());

  pass(minutes(1));

  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).progress.skipped, 3U);
}

TEST_F(ReplayerTest, ATaskThatIsPausedStopsAndGoesOnWhereItWas) {
  make_dead(10, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  begun(made);
  pass(seconds(3));
  const std::size_t before = pending();

  change_state(made, TaskState::Paused);
  pass(minutes(5));
  EXPECT_EQ(pending(), before);
  change_state(made, TaskState::Running);
  pass(seconds(2));
  EXPECT_GT(pending(), before);
  pass(minutes(1));
  EXPECT_EQ(pending(), 10U);
  EXPECT_EQ(stored(made).progress.done, 10U);
}

TEST_F(ReplayerTest, ATaskThatIsCancelledStopsForGood) {
  make_dead(10, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  begun(made);
  pass(seconds(3));
  const std::size_t before = pending();

  change_state(made, TaskState::Cancelled);
  pass(minutes(5));

  EXPECT_EQ(pending(), before);
  EXPECT_EQ(stored(made).state, TaskState::Cancelled);
  EXPECT_EQ(replayer->under_way(), 0U);
  EXPECT_TRUE(ended.empty()) << "the one who cancelled it knows";
}

TEST_F(ReplayerTest, ARestartGoesOnWithoutSkippingOrRepeating) {
  make_dead(10, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  begun(made);
  pass(seconds(3) + std::chrono::milliseconds(500));
  EXPECT_EQ(pending(), 4U);
  // One of them has died again: it must not be taken a second time.
  settle(keys[0], model::DeliveryState::Dead);

  live_again();
  replayer->start();
  loop.run();
  EXPECT_EQ(pending(), 3U) << "a restart is no reason to be faster";
  pass(minutes(1));

  EXPECT_EQ(pending(), 9U);
  EXPECT_EQ(state_of(keys[0]).state, model::DeliveryState::Dead);
  EXPECT_EQ(stored(made).progress.done, 10U);
}

TEST_F(ReplayerTest, WhatDiesAgainOnAClockThatWasSetBackIsNotTakenTwice) {
  make_dead(3, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  clock.step -= std::chrono::hours(1);
  begun(made);
  loop.run();
  ASSERT_EQ(pending(), 1U);
  settle(keys[0], model::DeliveryState::Dead);

  pass(minutes(1));

  EXPECT_EQ(state_of(keys[0]).state, model::DeliveryState::Dead) << "it was put back before";
  EXPECT_EQ(pending(), 2U);
  EXPECT_EQ(stored(made).progress.done, 3U);
}

TEST_F(ReplayerTest, AWriteThatNobodyKnowsOfIsNotRepeated) {
  make_dead(5, endpoint);
  model::Task made = task();
  made.pacing = constant(60);
  begun(made);
  pass(seconds(1));

  store.mood = Mood::Unsure;
  pass(seconds(2));
  store.mood = Mood::Fine;
  pass(minutes(1));

  EXPECT_EQ(pending(), 5U);
  EXPECT_EQ(stored(made).progress.done, 5U);
  EXPECT_EQ(stored(made).state, TaskState::Finished);
}

TEST_F(ReplayerTest, WhileTheStoreIsAwayItWaits) {
  make_dead(5, endpoint);
  store.mood = Mood::Away;
  model::Task made = begun(task());
  pass(minutes(1));
  EXPECT_EQ(pending(), 0U);
  EXPECT_LE(store.changes, 61);

  store.mood = Mood::Fine;
  pass(seconds(5));

  EXPECT_EQ(pending(), 5U);
}

TEST_F(ReplayerTest, AnEndpointThatAnswersNothingIsNotBuried) {
  make_dead(1200, endpoint);
  model::Task made = task();
  made.pacing = constant(60'000);
  begun(made);

  pass(seconds(10));

  EXPECT_EQ(pending(), TaskRun::kUnansweredMax);
  answer_all(/*is_good=*/true);
  pass(seconds(2));
  EXPECT_EQ(pending(), 1200U);
}

TEST_F(ReplayerTest, AnEndpointThatIsFullDoesNotHoldUpTheOthers) {
  const EndpointId slow = std::min(endpoint, make_endpoint());
  const EndpointId fast = slow == endpoint ? make_endpoint() : endpoint;
  make_dead(1100, slow);
  make_dead(1100, fast);
  model::Task made = task();
  made.pacing = constant(60'000);
  begun(made);

  for (int i = 0; i < 20; ++i) {
    pass(seconds(1));
    for (const DeliveryKey& key : keys) {
      if (key.endpoint == fast && is_pending(key)) replayer->answered(key, true);
    }
  }

  EXPECT_EQ(pending(), 1100 + TaskRun::kUnansweredMax);
}

TEST_F(ReplayerTest, WhatEndsUnsentIsNotWaitedFor) {
  make_dead(3, endpoint);
  const model::Task made = begun(task());
  pass(seconds(2));
  for (const DeliveryKey& key : keys) replayer->unsent(key);
  loop.run();

  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).progress.succeeded + stored(made).progress.failed, 0U);
}

TEST_F(ReplayerTest, AfterAnEndpointWasDeletedNothingIsWaitedForThere) {
  make_dead(1200, endpoint);
  model::Task made = task();
  made.pacing = constant(60'000);
  begun(made);
  pass(seconds(5));
  EXPECT_EQ(pending(), TaskRun::kUnansweredMax);

  readiness[endpoint] = Readiness::Deleted;
  for (std::size_t i = 0; i < 10; ++i) replayer->unsent(keys[i]);
  pass(seconds(5));

  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).progress.skipped, 200U);
}

TEST_F(ReplayerTest, SaysWhyItStandsStillAndTakesItBack) {
  make_dead(2, endpoint);
  readiness[endpoint] = Readiness::Blocked;
  const model::Task made = begun(task());
  pass(minutes(5));
  EXPECT_NE(stored(made).progress.waits_for.find("no endpoint takes anything"), std::string::npos);
  EXPECT_LE(store.changes, 3) << "it says so once";

  readiness[endpoint] = Readiness::Ready;
  pass(seconds(3));
  EXPECT_EQ(stored(made).progress.waits_for, "");
}

TEST_F(ReplayerTest, DiscardingIsNotPaced) {
  make_dead(350, endpoint);
  make_dead(10, make_endpoint());
  const model::Task made = begun(task(TaskType::Discard));

  loop.run();

  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).progress.done, 360U);
  EXPECT_EQ(state_of(keys[0]).state, model::DeliveryState::Discarded);
}

TEST_F(ReplayerTest, ExpungesAllPayloadsOfAnApplication) {
  const MessageId old = message({});
  clock.time += seconds(1);
  model::Task made = task(TaskType::ExpungeContent);
  clock.time += seconds(1);
  const MessageId fresh = message({});
  begun(made);

  loop.run();

  EXPECT_EQ(store.payload(old).value(), nullptr);
  EXPECT_NE(store.payload(fresh).value(), nullptr) << "it came after the task was asked for";
  EXPECT_EQ(stored(made).state, TaskState::Finished);
}

TEST_F(ReplayerTest, CountsWhatApplicationsHaveSent) {
  message({endpoint});
  model::Task made = task(TaskType::ApplicationStats);
  made.selection = {.applications = {application}};
  begun(made);

  loop.run();

  EXPECT_EQ(stored(made).state, TaskState::Finished);
  EXPECT_EQ(stored(made).data,
            R"({"appStats":[{"appId":")" + application.text() + R"(","messageDestinations":1}]})");
}

TEST_F(ReplayerTest, SendsWhatAnEndpointHasMissed) {
  const auto late =
      std::make_shared<model::Endpoint>(signature::KeyRing{signature::Secret::generate(random)});
  late->id = endpoint;
  endpoints[endpoint] = late;
  const MessageId missed = message({});
  clock.time += seconds(1);
  model::Task made = task(TaskType::ReplayMissing);
  made.selection.endpoint = endpoint;
  begun(made);

  loop.run();

  EXPECT_TRUE(is_pending({endpoint, missed}));
  EXPECT_TRUE(nudged.contains(endpoint));
}

}  // namespace
}  // namespace petrel::replay
