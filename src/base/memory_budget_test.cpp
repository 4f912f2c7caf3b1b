#include "base/memory_budget.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/memory_share.h"

namespace petrel {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

TEST(MemoryBudget, GivesBackWhatIsNotHeldAnyMore) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  {
    const MemoryHold hold = budget->take(MemoryUse::Messages, kMiB, nullptr);
    ASSERT_TRUE(hold);
    EXPECT_EQ(budget->used(MemoryUse::Messages), kMiB);
  }
  EXPECT_EQ(budget->used(MemoryUse::Messages), 0U);
}

TEST(MemoryBudget, NeitherSideTakesEverything) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  const MemoryHold clients = budget->take(MemoryUse::Requests, 4 * kMiB, nullptr);
  ASSERT_TRUE(clients);
  EXPECT_FALSE(budget->take(MemoryUse::Responses, 1, nullptr));
  const MemoryHold deliveries = budget->take(MemoryUse::Payloads, 4 * kMiB, nullptr);
  EXPECT_TRUE(deliveries);
  EXPECT_FALSE(budget->take(MemoryUse::Payloads, 1, nullptr));
}

TEST(MemoryBudget, DeliveriesAloneHaveThreeQuarters) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  EXPECT_FALSE(budget->take(MemoryUse::Payloads, 6 * kMiB + 1, nullptr));
  EXPECT_TRUE(budget->take(MemoryUse::Payloads, 6 * kMiB, nullptr));
}

TEST(MemoryBudget, AnAccountHasAtMostAsMuchAsIsFree) {
  const auto budget = MemoryBudget::make(16 * kMiB);  // 8 of them for clients.
  const auto greedy = budget->account("greedy");
  std::vector<MemoryHold> held;
  while (auto hold = budget->take(MemoryUse::Requests, kMiB, greedy)) {
    held.push_back(std::move(hold));
  }
  EXPECT_EQ(held.size(), 4U);
  const auto late = budget->account("late");
  EXPECT_TRUE(budget->has_room(MemoryUse::Requests, 4 * kMiB, late.get()));
  const MemoryHold hold = budget->take(MemoryUse::Requests, 2 * kMiB, late);
  EXPECT_TRUE(hold);
  // Now the first one has too much: of the next two that ask, it is the one that is refused.
  held.pop_back();
  EXPECT_FALSE(budget->take(MemoryUse::Requests, kMiB, greedy));
  EXPECT_TRUE(budget->take(MemoryUse::Requests, kMiB / 2, late));
}

TEST(MemoryBudget, ManyGreedyOnesLeaveRoomForOneMore) {
  const auto budget = MemoryBudget::make(200 * kMiB);
  std::vector<MemoryHold> held;
  for (int i = 0; i < 5; ++i) {
    const auto account = budget->account("app_" + std::to_string(i));
    while (auto hold = budget->take(MemoryUse::Messages, kMiB / 4, account)) {
      held.push_back(std::move(hold));
    }
  }
  const auto late = budget->account("late");
  EXPECT_TRUE(budget->take(MemoryUse::Messages, kMiB, late));
}

TEST(MemoryBudget, AnAccountIsTheSameForAllWhoNameIt) {
  const auto budget = MemoryBudget::make(kMiB);
  const auto account = budget->account("app_1");
  EXPECT_EQ(budget->account("app_1"), account);
  EXPECT_NE(budget->account("app_2"), account);
}

TEST(MemoryBudget, WhatTurnsIntoSomethingElseIsCountedOnce) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  const auto account = budget->account("app_1");
  MemoryHold hold = budget->take(MemoryUse::Messages, kMiB, account);
  ASSERT_TRUE(hold.turn_into(MemoryUse::Payloads));
  EXPECT_EQ(budget->used(MemoryUse::Messages), 0U);
  EXPECT_EQ(budget->used(MemoryUse::Payloads), kMiB);
  EXPECT_EQ(account->used(MemorySide::Clients), 0U);
  EXPECT_EQ(account->used(MemorySide::Deliveries), kMiB);
  hold = MemoryHold();
  EXPECT_EQ(account->used(MemorySide::Deliveries), 0U);
}

TEST(MemoryBudget, WhatHasNoRoomAsSomethingElseStaysWhatItWas) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  const MemoryHold full = budget->take(MemoryUse::Payloads, 6 * kMiB, nullptr);
  MemoryHold hold = budget->take(MemoryUse::Messages, kMiB, nullptr);
  EXPECT_FALSE(hold.turn_into(MemoryUse::Payloads));
  EXPECT_EQ(budget->used(MemoryUse::Messages), kMiB);
}

TEST(MemoryBudget, TellsOnceWhoWaitsWhenSomethingIsGivenBack) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  MemoryHold first = budget->take(MemoryUse::Payloads, kMiB, nullptr);
  MemoryHold second = budget->take(MemoryUse::Payloads, kMiB, nullptr);
  int told = 0;
  budget->when_freed([&] { ++told; });
  EXPECT_EQ(told, 0);
  first = MemoryHold();
  EXPECT_EQ(told, 1);
  second = MemoryHold();
  EXPECT_EQ(told, 1);
}

TEST(MemoryBudget, CountsWhatIsRefusedByUse) {
  const auto budget = MemoryBudget::make(kMiB);
  budget->note_refused(MemoryUse::Responses, budget->account("app_1").get());
  budget->note_refused(MemoryUse::Responses, nullptr);
  const MemoryBudget::Counts counts = budget->counts();
  EXPECT_EQ(counts.max, kMiB);
  EXPECT_EQ(counts.refused(), 2U);
  EXPECT_EQ(counts.uses[static_cast<std::size_t>(MemoryUse::Responses)].refused, 2U);
}

TEST(MemoryBudget, ThreadsTogetherNeverHaveMoreThanThereIs) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  std::atomic<bool> is_exceeded{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {  // More of them than there is room for.
    threads.emplace_back([&, account = budget->account("app_" + std::to_string(i))] {
      for (int n = 0; n < 2000; ++n) {
        const MemoryHold hold = budget->take(MemoryUse::Payloads, kMiB, account);
        if (hold && budget->used(MemoryUse::Payloads) > 6 * kMiB) is_exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_exceeded);
  EXPECT_EQ(budget->counts().used(), 0U);
}

// A side that has more than it may, as that was there already, must not stop the other one.
TEST(MemoryBudget, WhatASideHasBeyondItsBoundTakesNothingFromTheOther) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  const MemoryHold results = budget->take_anyway(MemoryUse::Results, 20 * kMiB);
  EXPECT_EQ(results.bytes(), 20 * kMiB);
  EXPECT_FALSE(budget->has_room(MemoryUse::Payloads, 1, nullptr));
  EXPECT_TRUE(budget->has_room(MemoryUse::Messages, 2 * kMiB, nullptr));
  EXPECT_TRUE(budget->take(MemoryUse::Messages, 2 * kMiB, nullptr));
  EXPECT_FALSE(budget->take(MemoryUse::Messages, 2 * kMiB + 1, nullptr));
}

// On a machine with many cores, in a container with little memory.
TEST(MemoryShare, ManyLoopsThatDoNothingLeaveRoomForOthers) {
  const auto budget = MemoryBudget::make(128 * kMiB);
  std::vector<std::unique_ptr<MemoryShare>> shares;
  for (int i = 0; i < 128; ++i) {
    shares.push_back(std::make_unique<MemoryShare>(
        budget, i % 2 == 0 ? MemoryUse::Requests : MemoryUse::Responses));
    shares.back()->take_anyway(24 << 10);
    shares.back()->give_back(24 << 10, nullptr);
  }
  EXPECT_LE(budget->counts().used(), 128 * kMiB / 16);
  EXPECT_TRUE(budget->take(MemoryUse::Messages, kMiB, budget->account("app_1")));
}

TEST(MemoryShare, DrawsWholeSteps) {
  const auto budget = MemoryBudget::make(4096 * kMiB);
  MemoryShare share(budget, MemoryUse::Requests);
  ASSERT_TRUE(share.take(100, nullptr));
  ASSERT_TRUE(share.take(100, nullptr));
  EXPECT_EQ(share.used(), 200U);
  EXPECT_EQ(budget->used(MemoryUse::Requests), kMiB);
  ASSERT_TRUE(share.take(3 * kMiB, nullptr));
  EXPECT_EQ(budget->used(MemoryUse::Requests), 4 * kMiB);
}

TEST(MemoryShare, ReturnsAllButAStep) {
  const auto budget = MemoryBudget::make(4096 * kMiB);
  {
    MemoryShare share(budget, MemoryUse::Requests);
    ASSERT_TRUE(share.take(5 * kMiB, nullptr));
    share.give_back(5 * kMiB, nullptr);
    EXPECT_EQ(budget->used(MemoryUse::Requests), kMiB);
  }
  EXPECT_EQ(budget->used(MemoryUse::Requests), 0U);
}

TEST(MemoryShare, RefusesWhatTheBudgetOrTheAccountHasNoRoomFor) {
  const auto budget = MemoryBudget::make(8 * kMiB);
  MemoryShare share(budget, MemoryUse::Requests);
  const auto account = budget->account("app_1");
  ASSERT_TRUE(share.take(2 * kMiB, account.get()));
  EXPECT_FALSE(share.take(kMiB, account.get()));
  EXPECT_EQ(account->used(MemorySide::Clients), 2 * kMiB);
  EXPECT_TRUE(share.take(2 * kMiB, nullptr));
  EXPECT_FALSE(share.take(1, nullptr));
  share.take_anyway(1);
  EXPECT_EQ(share.used(), 4 * kMiB + 1);
  share.give_back(2 * kMiB, account.get());
  EXPECT_EQ(account->used(MemorySide::Clients), 0U);
}

}  // namespace
}  // namespace petrel
