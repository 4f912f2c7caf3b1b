#include "net/descriptor_budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::net {
namespace {

std::size_t sum_of(const DescriptorShares& shares) {
  return shares.store + shares.accepted + shares.outgoing;
}

TEST(DescriptorShares, LeaveSomethingForEachUseOfTheUsualLimit) {
  const DescriptorShares shares = divide_descriptors(1024, 2);
  EXPECT_EQ(shares.store, 256U);
  EXPECT_EQ(shares.accepted, 242U);
  EXPECT_EQ(shares.outgoing, 486U);
}

TEST(DescriptorShares, NeverAddUpToMoreThanThereIs) {
  for (const std::size_t loops : {1U, 2U, 32U, 256U}) {
    for (std::size_t limit = 4096; limit < 3'000'000; limit += 997) {
      ASSERT_LE(sum_of(divide_descriptors(limit, loops)), limit) << loops;
    }
  }
}

TEST(DescriptorShares, GrowNoLargerThanCanBeOfUse) {
  const DescriptorShares shares = divide_descriptors(10'000'000, 2);
  EXPECT_EQ(shares.store, 640U);
  EXPECT_EQ(shares.accepted, 20'000U);
  EXPECT_EQ(shares.outgoing, 65'536U);
}

TEST(DescriptorShares, HaveSomeRoomForEachUseHoweverSmallTheLimit) {
  const DescriptorShares shares = divide_descriptors(10, 1);
  EXPECT_EQ(shares.store, 48U);
  EXPECT_EQ(shares.accepted, 16U);
  EXPECT_EQ(shares.outgoing, 16U);
}

TEST(DescriptorBudget, AUseThatHasUsedUpItsShareTakesNothingFromTheOther) {
  const auto budget = DescriptorBudget::make({.store = 0, .accepted = 2, .outgoing = 1});
  const DescriptorPlace first = budget->take_outgoing();
  EXPECT_TRUE(first);
  EXPECT_FALSE(budget->take_outgoing());
  const DescriptorPlace one = budget->take_accepted();
  const DescriptorPlace two = budget->take_accepted();
  EXPECT_TRUE(one && two);
  EXPECT_FALSE(budget->take_accepted());
}

TEST(DescriptorBudget, APlaceComesBackOnceWhereverItWent) {
  const auto budget = DescriptorBudget::make({.store = 0, .accepted = 0, .outgoing = 2});
  {
    DescriptorPlace place = budget->take_outgoing();
    DescriptorPlace moved = std::move(place);
    DescriptorPlace other = budget->take_outgoing();
    EXPECT_EQ(budget->counts().outgoing, 2U);
    other = std::move(moved);
    EXPECT_EQ(budget->counts().outgoing, 1U);
  }
  EXPECT_EQ(budget->counts().outgoing, 0U);
}

TEST(DescriptorBudget, KeepsAFewPlacesToTellThatThereAreTooMany) {
  const auto budget = DescriptorBudget::make({.store = 0, .accepted = 16, .outgoing = 0});
  std::vector<DescriptorPlace> places;
  for (int i = 0; i < 14; ++i) {
    places.push_back(budget->take_accepted());
    EXPECT_FALSE(budget->is_accepting_crowded()) << i;
  }
  places.push_back(budget->take_accepted());
  EXPECT_TRUE(budget->is_accepting_crowded());
  EXPECT_TRUE(budget->take_accepted());
}

TEST(DescriptorBudget, SeveralLoopsTogetherTakeNoMoreThanThereIs) {
  const auto budget = DescriptorBudget::make({.store = 0, .accepted = 0, .outgoing = 1000});
  std::vector<std::vector<DescriptorPlace>> taken(4);
  {
    std::vector<std::jthread> threads;
    for (auto& places : taken) {
      threads.emplace_back([&places, &budget] {
        for (int i = 0; i < 400; ++i) places.push_back(budget->take_outgoing());
      });
    }
  }
  std::size_t count = 0;
  for (const auto& places : taken) {
    for (const DescriptorPlace& place : places) count += place ? 1 : 0;
  }
  EXPECT_EQ(count, 1000U);
  EXPECT_EQ(budget->counts().outgoing, 1000U);
}

}  // namespace
}  // namespace petrel::net
