#include "engine/slot_budget.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/thread_pool.h"

namespace petrel::engine {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30U;

// How many a lane gets that asks until it is refused.
int grow(SlotBudget& budget, int held = 0) {
  while (budget.try_take(0, held)) ++held;
  return held;
}

TEST(SlotCount, IsTheLeastOfDescriptorsMemoryAndAFixedMost) {
  EXPECT_EQ(slot_count(1'000'000, 64 * kGibibyte), 65'536);
  EXPECT_EQ(slot_count(1'000'000, kGibibyte), 65'536);
  EXPECT_EQ(slot_count(1'000'000, kGibibyte / 2), 32'768);
  EXPECT_EQ(slot_count(486, kGibibyte), 486);
  EXPECT_EQ(slot_count(0, 0), 1);
}

TEST(SlotBudget, HalfOfTheSlotsAreForTheFirstOneOfEachLane) {
  SlotBudget budget(100, 1);

  for (int lane = 0; lane < 50; ++lane) ASSERT_TRUE(budget.try_take(0, 0));

  EXPECT_FALSE(budget.try_take(0, 0));
  EXPECT_EQ(budget.in_use(), 50);
  EXPECT_TRUE(budget.try_take(0, 1));  // Further ones are there all the same.
}

TEST(SlotBudget, ALaneGetsAFurtherSlotWhileItHoldsLessThanAQuarterOfWhatIsLeft) {
  SlotBudget budget(100, 1);

  EXPECT_EQ(grow(budget), 11);
  EXPECT_EQ(grow(budget), 9);
  EXPECT_EQ(grow(budget), 8);
}

TEST(SlotBudget, OfAnOddNumberTheGreaterHalfIsForFirstSlots) {
  SlotBudget one(1, 1);
  EXPECT_TRUE(one.try_take(0, 0));
  EXPECT_FALSE(one.try_take(0, 1));

  SlotBudget three(3, 1);
  EXPECT_EQ(grow(three), 2);
  EXPECT_TRUE(three.try_take(0, 0));
  EXPECT_FALSE(three.try_take(0, 0));
}

TEST(SlotBudget, WhatIsGivenBackIsFree) {
  SlotBudget budget(2, 1);
  ASSERT_TRUE(budget.try_take(0, 0));

  EXPECT_EQ(budget.give_back(0, SlotKind::First), std::nullopt);

  EXPECT_TRUE(budget.try_take(0, 0));
}

TEST(SlotBudget, AShardThatWaitsIsGivenTheSlotAndNobodyElseGetsIt) {
  SlotBudget budget(2, 3);
  ASSERT_TRUE(budget.try_take(0, 0));
  ASSERT_FALSE(budget.try_take(2, 0));

  EXPECT_EQ(budget.give_back(0, SlotKind::First), 2U);

  EXPECT_FALSE(budget.try_take(0, 0));
  EXPECT_EQ(budget.in_use(), 1);
}

TEST(SlotBudget, ShardsAreServedInTurn) {
  SlotBudget budget(2, 3);
  ASSERT_TRUE(budget.try_take(0, 0));
  for (std::size_t shard = 0; shard < 3; ++shard) ASSERT_FALSE(budget.try_take(shard, 0));

  EXPECT_EQ(budget.give_back(0, SlotKind::First), 1U);
  EXPECT_EQ(budget.give_back(1, SlotKind::First), 2U);
  EXPECT_EQ(budget.give_back(2, SlotKind::First), 0U);
  EXPECT_EQ(budget.give_back(0, SlotKind::First), std::nullopt);
}

TEST(SlotBudget, AFurtherSlotGoesToAShardWhoseLaneMayHaveIt) {
  SlotBudget budget(20, 3);
  ASSERT_EQ(grow(budget), 3);           // Two further ones of ten.
  ASSERT_FALSE(budget.try_take(1, 3));  // 4 × 2 < 10 − 2 does not hold.
  ASSERT_TRUE(budget.try_take(2, 1));

  EXPECT_EQ(budget.give_back(2, SlotKind::Further), std::nullopt);
  EXPECT_EQ(budget.give_back(0, SlotKind::Further), 1U);
}

TEST(SlotBudget, AGivenSlotDoesNotFitALaneThatHoldsMoreThanTheOneItWasMeantFor) {
  SlotBudget budget(20, 2);
  ASSERT_EQ(grow(budget), 3);
  ASSERT_FALSE(budget.try_take(1, 3));
  ASSERT_EQ(budget.give_back(0, SlotKind::Further), 1U);

  EXPECT_TRUE(budget.fits_given(3));
  EXPECT_FALSE(budget.fits_given(4));
}

TEST(SlotBudget, AShardThatWaitsNoMoreIsGivenNothing) {
  SlotBudget budget(2, 2);
  ASSERT_TRUE(budget.try_take(0, 0));
  ASSERT_FALSE(budget.try_take(1, 0));
  budget.stop_waiting(1, SlotKind::First);

  EXPECT_EQ(budget.give_back(0, SlotKind::First), std::nullopt);
}

// What any number of lanes do to it, in any order: the bounds hold, and nobody waits for what he
// may have.
RC_GTEST_PROP(SlotBudget, KeepsItsBoundsAndLeavesNobodyWaitingForWhatIsFree, ()) {
  const int slots = *rc::gen::inRange(1, 60);
  constexpr std::size_t kLanes = 8;
  SlotBudget budget(slots, kLanes);  // Each on a shard of its own.
  std::vector<int> held(kLanes, 0);
  std::vector<bool> waits(kLanes, false);
  const auto further = [&] {
    int sum = 0;
    for (const int each : held) sum += std::max(each - 1, 0);
    return sum;
  };
  const auto may_have = [&](std::size_t lane) {
    int holders = 0;
    for (const int each : held) holders += each > 0 ? 1 : 0;
    const int firsts = slots - slots / 2;
    if (held[lane] == 0) return holders < firsts;
    return 4 * (held[lane] - 1) < slots / 2 - further();
  };
  const auto steps = *rc::gen::container<std::vector<std::pair<std::size_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, kLanes), rc::gen::arbitrary<bool>()));
  for (const auto& [lane, takes] : steps) {
    if (takes) {
      const bool may = may_have(lane);
      const bool is_taken = budget.try_take(lane, held[lane]);
      RC_ASSERT(is_taken == may);
      if (is_taken) ++held[lane];
      waits[lane] = !is_taken;
    } else if (held[lane] > 0 && !waits[lane]) {
      const auto given = budget.give_back(lane, slot_kind(--held[lane]));
      if (given) {
        RC_ASSERT(waits[*given]);
        ++held[*given];
        waits[*given] = false;
      }
    }
    int sum = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      sum += held[i];
      RC_ASSERT(!waits[i] || !may_have(i));
    }
    RC_ASSERT(sum == budget.in_use());
    RC_ASSERT(sum <= slots);
  }
}

// Shards on threads of their own, which wait for what they are given.
struct Shards {
  static constexpr std::size_t kCount = 4;

  // A shard that is through passes on at once what it is given late.
  void give_back(std::size_t shard, int count) {
    for (; count > 0; --count) {
      const auto next = budget.give_back(shard, SlotKind::First);
      if (!next) continue;
      ++given[*next];
      given[*next].notify_one();
      if (is_through[*next]) count += given[*next].exchange(0);
    }
  }

  void live(std::size_t shard) {
    for (int i = 0; i < 20'000; ++i) {
      const int own = budget.try_take(shard, 0) ? 1 : 0;
      if (own == 0) given[shard].wait(0);
      budget.stop_waiting(shard, SlotKind::First);
      give_back(shard, own + given[shard].exchange(0));
    }
    is_through[shard] = true;
    give_back(shard, given[shard].exchange(0));
  }

  SlotBudget budget{4, kCount};
  std::array<std::atomic<int>, kCount> given{};
  std::array<std::atomic<bool>, kCount> is_through{};
};

// Or they hang.
TEST(SlotBudget, LosesNoSlotAndNoWaitBetweenThreads) {
  Shards shards;
  {
    ThreadPool pool({.name = "shard", .threads = Shards::kCount});
    for (std::size_t i = 0; i < Shards::kCount; ++i) {
      ASSERT_TRUE(pool.run([&shards, i] { shards.live(i); }));
    }
  }
  EXPECT_EQ(shards.budget.in_use(), 0);
}

}  // namespace
}  // namespace petrel::engine
