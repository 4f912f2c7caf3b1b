#include "engine/runner.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/function.h"
#include "base/testing/hand_loop.h"
#include "engine/hand_note.h"
#include "engine/testing/samples.h"
#include "store/memory/memory_store.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kLarge = 100'000;

// Deliveries may have three quarters of it, of which one application leaves half.
constexpr std::size_t kMemory = 8 * kLarge;

// Keeps what is sent until the test answers it.
class HandTransport final : public Transport {
 public:
  struct Sent {
    model::AttemptOrder order;
    Done done;
  };

  void send(model::AttemptOrder order, Done done) override {
    sent.push_back({std::move(order), std::move(done)});
  }

  void cancel_all() override { answer_all(Outcome::our_fault()); }

  void answer_all(Outcome outcome) {
    for (Sent& each : std::exchange(sent, {})) {
      model::AttemptResult result;
      result.outcome = outcome;
      each.done(std::move(result));
    }
  }

  std::vector<Sent> sent;
};

// Cannot write what becomes of some deliveries, and may not find any payload.
class DamagedStore final : public store::MemoryStore {
 public:
  using MemoryStore::MemoryStore;

  void settle(std::vector<model::Settlement> batch, SettleDone done) override {
    const bool is_damaged = std::any_of(
        batch.begin(), batch.end(),
        [&](const model::Settlement& each) { return damaged.contains(each.delivery.key.message); });
    if (is_damaged) return done(corrupt("the record cannot be read"));
    MemoryStore::settle(std::move(batch), std::move(done));
  }

  void load_payloads(std::vector<MessageId> messages, store::PayloadKeeper& keeper,
                     PayloadsDone done) override {
    if (is_unreadable) return done(unavailable("the disk does not answer"));
    if (!damaged_payloads.empty()) {
      std::vector<store::LoadedPayload> loaded(messages.size());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        loaded[i].is_damaged = damaged_payloads.contains(messages[i]);
        if (!loaded[i].is_damaged) loaded[i].bytes = std::make_shared<const std::string>("{}");
      }
      return done(loaded);
    }
    MemoryStore::load_payloads(std::move(messages), keeper, std::move(done));
  }

  std::set<MessageId> damaged;
  std::set<MessageId> damaged_payloads;
  bool is_unreadable = false;
};

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    runner.emplace(
        Runner::Parts{.loop = loop,
                      .clock = clock,
                      .store = store,
                      .transport = transport,
                      .secure_random = secure_random,
                      .ongoing = ongoing,
                      .note = note,
                      .note_places = {.first = 8, .count = 2},
                      .payloads = payloads},
        Runner::Listeners{
            .settled = [this](const model::Settlement& each) { settled.push_back(each); },
            .refused = [this](const model::DeliveryKey& key,
                              const Error&) { refused.push_back(key.message); },
            .faulted = [this](const model::DeliveryKey&,
                              const model::AttemptResult& fault) { faults.push_back(fault.fault); },
            .paused = [this](const PauseCommand& pause) { pauses.push_back(pause); },
            .left = [this](LaneLeft lane) { left.push_back(std::move(lane)); },
            .woken = [this](Duration late) { woken_late.push_back(late); },
            .turned = [this] { ++turns; }},
        CoreSettings{}, 7);
    runner->configure(lane_config(1));
    loop.run();
  }

  // Written to the store; the runner has not heard of it.
  model::Delivery keep(int message, const model::Payload& payload) {
    const model::Delivery delivery = pending(message, clock.time);
    store::Acceptance acceptance;
    acceptance.message.id = message_id(message);
    acceptance.payload = payload;
    acceptance.deliveries = {delivery};
    store.accept({acceptance}, [](const auto& answer) { EXPECT_TRUE(answer.ok()); });
    deliver_answers();
    return delivery;
  }

  // The same for several endpoints.
  void keep_for(int message, std::size_t payload_bytes, int endpoints) {
    store::Acceptance acceptance;
    acceptance.message.id = message_id(message);
    acceptance.message.application = nth<ApplicationId>(1);
    acceptance.payload = std::make_shared<const std::string>(payload_bytes, 'x');
    for (int endpoint = 1; endpoint <= endpoints; ++endpoint) {
      acceptance.deliveries.push_back(pending(message, clock.time, endpoint));
    }
    store.accept({acceptance}, [](const auto& answer) { EXPECT_TRUE(answer.ok()); });
    deliver_answers();
  }

  // The oldest request that is out is answered with 200.
  void end_first() {
    HandTransport::Sent first = std::move(transport.sent.front());
    transport.sent.erase(transport.sent.begin());
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(200);
    first.order.payload = nullptr;
    first.done(std::move(result));
    run();
  }

  void accept(int message) {
    const auto payload = std::make_shared<const std::string>("{}");
    runner->accepted({{keep(message, payload), payload}});
  }

  // The store's answers arrive, and everything that follows happens.
  void run() {
    loop.run();
    while (!answers.empty()) {
      deliver_answers();
      loop.run();
    }
  }

  void deliver_answers() {
    while (!answers.empty()) {
      const auto answer = std::move(answers.front());
      answers.pop_front();
      answer();
    }
  }

  void pass(Duration time) {
    clock.time += time;
    run();
  }

  DeliveryState state_of(int message) {
    return store.delivery({endpoint_id(1), message_id(message)}).value().state;
  }

  HandClock clock{kWallStart, kMonoStart};
  HandLoop loop{clock};
  std::deque<Function<void()>> answers;  // Of the store, on their way.
  DamagedStore store{clock, [this](auto answer) { answers.push_back(std::move(answer)); }};
  HandTransport transport;
  SeededSecureRandom secure_random{1};
  OngoingAttempts ongoing;
  HandNote note;
  std::shared_ptr<MemoryBudget> memory = MemoryBudget::make(kMemory);
  PayloadShelf payloads{memory};
  std::vector<model::Settlement> settled;
  std::vector<MessageId> refused;
  std::vector<PauseCommand> pauses;
  std::vector<model::FaultCause> faults;
  std::vector<Duration> woken_late;
  int turns = 0;
  std::vector<LaneLeft> left;
  std::optional<Runner> runner;
};

TEST_F(RunnerTest, AnAcceptedMessageIsDeliveredAndSettled) {
  accept(1);
  run();

  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(transport.sent[0].order.delivery, (model::DeliveryKey{endpoint_id(1), message_id(1)}));
  EXPECT_EQ(*transport.sent[0].order.payload, "{}");
  EXPECT_EQ(state_of(1), DeliveryState::Pending);
  EXPECT_TRUE(ongoing.has({endpoint_id(1), message_id(1)}));

  transport.answer_all(Outcome::answered(200));
  EXPECT_FALSE(ongoing.has({endpoint_id(1), message_id(1)}));
  loop.run();
  EXPECT_TRUE(settled.empty());  // The store has not answered yet.
  run();

  EXPECT_EQ(state_of(1), DeliveryState::Delivered);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].delivery.state, DeliveryState::Delivered);
}

TEST_F(RunnerTest, NotesWhatIsInFlightUntilWhatBecameOfItIsOnDisk) {
  using Noted = std::map<std::size_t, model::DeliveryKey>;
  const model::DeliveryKey first{endpoint_id(1), message_id(1)};
  const model::DeliveryKey second{endpoint_id(1), message_id(2)};
  accept(1);
  accept(2);
  accept(3);  // One more than it has places for: it goes all the same.
  run();
  ASSERT_EQ(transport.sent.size(), 3U);
  EXPECT_EQ(note.noted(), (Noted{{8, first}, {9, second}}));

  transport.answer_all(Outcome::answered(500));
  loop.run();  // The store has not answered yet.
  EXPECT_EQ(note.noted(), (Noted{{8, first}, {9, second}}));
  run();
  EXPECT_EQ(note.noted(), Noted{});
}

TEST_F(RunnerTest, WhatAFaultOfOursEndedIsInFlightNoMore) {
  accept(1);
  run();
  EXPECT_EQ(note.noted().size(), 1U);
  transport.answer_all(Outcome::our_fault());
  EXPECT_TRUE(note.noted().empty());
}

TEST_F(RunnerTest, WhatIsStillLoadedCountsAsInFlight) {
  keep(1, std::make_shared<const std::string>("{}"));
  store.is_unreadable = true;
  runner->nudge(endpoint_id(1));
  loop.run();
  deliver_answers();  // The page.
  loop.run();         // Which has the payload loaded: in vain, and that is not heard of yet.
  EXPECT_TRUE(transport.sent.empty());
  run();
  EXPECT_TRUE(note.noted().empty());

  store.is_unreadable = false;
  store.damaged_payloads.insert(message_id(1));
  pass(seconds(2));
  EXPECT_EQ(refused, std::vector{message_id(1)});
  EXPECT_TRUE(note.noted().empty());
}

TEST_F(RunnerTest, WhatTheStoreRefusesIsInFlightNoMore) {
  store.damaged.insert(message_id(1));
  accept(1);
  run();
  transport.answer_all(Outcome::answered(200));
  run();
  EXPECT_EQ(refused, std::vector{message_id(1)});
  EXPECT_TRUE(note.noted().empty());
}

TEST_F(RunnerTest, LoadsWhatItWasNotToldOfAndItsPayload) {
  keep(1, std::make_shared<const std::string>("[1,2]"));

  runner->nudge(endpoint_id(1));
  run();

  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(*transport.sent[0].order.payload, "[1,2]");
}

TEST_F(RunnerTest, APayloadGoesOutWithItsContentType) {
  const auto payload = std::make_shared<const std::string>("<a/>");
  runner->accepted(
      {{.delivery = keep(1, payload), .payload = payload, .content_type = "text/xml"}});
  run();

  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(transport.sent[0].order.content_type, "text/xml");
}

TEST_F(RunnerTest, C9_APayloadThatCannotBeLoadedCostsTheDeliveryNothing) {
  keep(1, std::make_shared<const std::string>("{}"));
  store.is_unreadable = true;
  runner->nudge(endpoint_id(1));
  run();

  EXPECT_TRUE(transport.sent.empty());
  EXPECT_TRUE(settled.empty());
  EXPECT_EQ(state_of(1), DeliveryState::Pending);
  EXPECT_EQ(runner->core().counts().out, 0);
  EXPECT_EQ(faults, std::vector{model::FaultCause::Store});
}

TEST_F(RunnerTest, SaysHowLateItsTimerWasAndThatTheCoreWasTurned) {
  accept(1);
  run();
  transport.answer_all(Outcome::answered(500));
  run();
  const int before = turns;
  EXPECT_TRUE(woken_late.empty());

  clock.time += seconds(12);  // The loop was busy for two seconds.
  run();

  EXPECT_EQ(woken_late, std::vector<Duration>{seconds(2)});
  EXPECT_GT(turns, before);
}

TEST_F(RunnerTest, ARetryGoesOutWhenItsTimerFires) {
  accept(1);
  run();
  transport.answer_all(Outcome::answered(500));
  run();
  EXPECT_EQ(state_of(1), DeliveryState::Retrying);

  pass(seconds(10) - milliseconds(1));
  EXPECT_TRUE(transport.sent.empty());
  pass(milliseconds(1));

  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(*transport.sent[0].order.payload, "{}");
}

TEST_F(RunnerTest, TurnsTheCoreOncePerTurnOfTheLoopHoweverMuchHasHappened) {
  for (int n = 1; n <= 5; ++n) accept(n);

  EXPECT_EQ(loop.posted(), 1U);
  run();
  EXPECT_EQ(transport.sent.size(), 5U);
  transport.answer_all(Outcome::answered(200));
  EXPECT_EQ(loop.posted(), 1U);
}

TEST_F(RunnerTest, C10_SaysWhichEndpointHasToBePaused) {
  accept(1);
  run();

  transport.answer_all(Outcome::answered(410));
  run();

  ASSERT_EQ(pauses.size(), 1U);
  EXPECT_EQ(pauses[0].endpoint, endpoint_id(1));
}

TEST_F(RunnerTest, DestroyingItWhileAttemptsAreOutIsSafe) {
  accept(1);
  run();

  runner.reset();
  transport.answer_all(Outcome::answered(200));
  run();

  EXPECT_TRUE(settled.empty());
  EXPECT_EQ(state_of(1), DeliveryState::Pending);
}

TEST_F(RunnerTest, DestroyingItWhileTheStoreAnswersIsSafe) {
  accept(1);
  run();
  keep(2, std::make_shared<const std::string>("{}"));
  runner->nudge(endpoint_id(1));
  transport.answer_all(Outcome::answered(200));
  loop.run();  // A settlement and a load are on their way …
  accept(3);   // … and a turn is planned.
  ASSERT_GE(loop.posted(), 1U);

  runner.reset();
  clock.time += seconds(60);
  run();

  EXPECT_TRUE(settled.empty());
}

TEST_F(RunnerTest, DestroyingItBetweenTheStoresAnswerAndItsTurnIsSafe) {
  accept(1);
  run();
  transport.answer_all(Outcome::answered(200));
  loop.run();
  deliver_answers();

  runner.reset();
  run();

  EXPECT_TRUE(settled.empty());
  EXPECT_EQ(state_of(1), DeliveryState::Delivered);
}

TEST_F(RunnerTest, ADrainIsDoneWhenWhatIsOutHasEndedAndIsSettled) {
  bool is_done = false;
  accept(1);
  run();

  runner->drain([&] { is_done = true; });
  accept(2);
  run();
  EXPECT_FALSE(is_done);
  transport.answer_all(Outcome::answered(200));
  loop.run();
  EXPECT_FALSE(is_done);
  run();

  EXPECT_TRUE(is_done);
  EXPECT_EQ(state_of(1), DeliveryState::Delivered);
  EXPECT_EQ(state_of(2), DeliveryState::Pending);
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(RunnerTest, OfAPayloadThatManyEndpointsGetThereIsOneCopy) {
  for (int endpoint = 2; endpoint <= 20; ++endpoint) runner->configure(lane_config(endpoint));
  keep_for(1, kLarge, 20);
  for (int endpoint = 1; endpoint <= 20; ++endpoint) runner->nudge(endpoint_id(endpoint));
  run();
  ASSERT_EQ(transport.sent.size(), 20U);
  for (const HandTransport::Sent& each : transport.sent) {
    EXPECT_EQ(each.order.payload, transport.sent[0].order.payload);
  }
  EXPECT_EQ(memory->used(MemoryUse::Payloads), kLarge);
  while (!transport.sent.empty()) end_first();
  EXPECT_EQ(memory->used(MemoryUse::Payloads), 0U);
}

TEST_F(RunnerTest, APayloadThatHasNoRoomWaitsAndCostsTheDeliveryNothing) {
  for (int message = 1; message <= 5; ++message) keep_for(message, kLarge, 1);
  runner->nudge(endpoint_id(1));
  run();
  // An application may have half of what deliveries may have: three of them.
  EXPECT_EQ(transport.sent.size(), 3U);
  EXPECT_EQ(runner->core().counts().out, 5);
  EXPECT_EQ(memory->counts().uses[static_cast<std::size_t>(MemoryUse::Payloads)].refused, 2U);

  end_first();
  EXPECT_EQ(transport.sent.size(), 3U);
  end_first();
  EXPECT_EQ(transport.sent.size(), 3U);
  while (!transport.sent.empty()) end_first();
  for (int message = 1; message <= 5; ++message) {
    EXPECT_EQ(state_of(message), DeliveryState::Delivered);
    EXPECT_EQ(store.delivery({endpoint_id(1), message_id(message)})->progress.attempts, 1);
  }
}

// What was freed between the refusal and its arrival has told those that waited before.
TEST_F(RunnerTest, APayloadThatFindsRoomWhenItIsPutOffWaitsForNothing) {
  const auto account = memory->account(lane_config(1).application.text());
  auto others = memory->take(MemoryUse::Payloads, 3 * kLarge, account);
  for (int message = 1; message <= 3; ++message) keep_for(message, kLarge, 1);
  runner->nudge(endpoint_id(1));
  loop.run();
  deliver_answers();
  loop.run();  // The store has found no room for them, which is on its way.
  ASSERT_EQ(answers.size(), 1U);
  others = MemoryHold();
  run();
  EXPECT_EQ(transport.sent.size(), 3U);
}

TEST_F(RunnerTest, ADrainDoesNotWaitForRoom) {
  for (int message = 1; message <= 5; ++message) keep_for(message, kLarge, 1);
  runner->nudge(endpoint_id(1));
  run();
  bool is_drained = false;
  runner->drain([&] { is_drained = true; });
  run();
  EXPECT_EQ(runner->core().counts().out, 3);
  while (!transport.sent.empty()) end_first();
  EXPECT_TRUE(is_drained);
  EXPECT_EQ(store.delivery({endpoint_id(1), message_id(5)})->progress.attempts, 0);
}

TEST_F(RunnerTest, C9_ADrainThatIsCutShortCostsTheDeliveriesNothing) {
  bool is_done = false;
  accept(1);
  run();
  runner->drain([&] { is_done = true; });

  transport.cancel_all();
  run();

  EXPECT_TRUE(is_done);
  EXPECT_EQ(state_of(1), DeliveryState::Pending);
}

TEST_F(RunnerTest, ADrainWithNothingOutIsDoneAtTheNextTurnAndMayDestroyTheRunner) {
  bool is_done = false;

  runner->drain([&] {
    is_done = true;
    runner.reset();
  });
  EXPECT_FALSE(is_done);
  run();

  EXPECT_TRUE(is_done);
}

TEST_F(RunnerTest, OneDamagedRecordDoesNotKeepTheOthersFromBeingSettled) {
  for (int n = 1; n <= 3; ++n) accept(n);
  run();
  ASSERT_EQ(transport.sent.size(), 3U);
  store.damaged = {message_id(2)};

  transport.answer_all(Outcome::answered(200));
  run();

  EXPECT_EQ(state_of(1), DeliveryState::Delivered);
  EXPECT_EQ(state_of(3), DeliveryState::Delivered);
  EXPECT_EQ(refused, (std::vector<MessageId>{message_id(2)}));
  EXPECT_FALSE(runner->core().counts().is_store_away);
  pass(seconds(60));
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(RunnerTest, AMessageWhosePayloadIsDamagedIsLeftAloneAndTheOthersGo) {
  store.damaged_payloads = {message_id(1)};
  runner->accepted({{keep(1, nullptr), nullptr}, {keep(2, nullptr), nullptr}});
  run();

  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(transport.sent[0].order.delivery.message, message_id(2));
  EXPECT_EQ(refused, (std::vector<MessageId>{message_id(1)}));
  EXPECT_EQ(state_of(1), DeliveryState::Pending);
  transport.answer_all(Outcome::answered(200));
  pass(seconds(60));
  EXPECT_TRUE(transport.sent.empty());
  EXPECT_EQ(state_of(2), DeliveryState::Delivered);
}

TEST_F(RunnerTest, AMessageWithoutItsPayloadIsCancelled) {
  runner->accepted({{keep(1, nullptr), nullptr}});
  run();

  EXPECT_TRUE(transport.sent.empty());
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].delivery.reason, policy::DeadReason::Cancelled);
}

}  // namespace
}  // namespace petrel::engine
