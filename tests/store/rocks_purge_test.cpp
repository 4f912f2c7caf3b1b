// How the embedded store drops what is past its retention: in small steps, over restarts, and from
// the disk. What is dropped at all is in conformance_purge.cpp, for every store.

#include "harness.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::store {
namespace {

class RocksPurgeTest : public testing::Test {
 protected:
  RocksPurgeTest() {
    settings_.path = folder_.at("store");
    settings_.vault = test_vault();
  }

  std::unique_ptr<RocksStore> open() { return open_rocks(settings_, clock_); }

  StillClock clock_;
  ScratchFolder folder_;
  RocksSettings settings_;
  Maker make_;
  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

// Otherwise every sweep would come by all that was kept for a reason.
TEST_F(RocksPurgeTest, APurgeGoesOnWhereItWasAfterARestart) {
  const auto steps = [&](RocksStore& store) {
    constexpr Duration kHour = std::chrono::hours(1);
    const RetentionRules rules{.others = {kHour, kHour, kHour, kHour}};
    PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules), .messages_max = 5};
    int taken = 0;
    do {
      const Result<Purged> purged = purge(store, order);
      EXPECT_TRUE(purged.ok());
      order.from = purged->next;
    } while (order.from && ++taken < 100);
    return taken;
  };
  {
    const auto store = open();
    std::vector<Acceptance> all;
    for (int i = 0; i < 50; ++i) all.push_back(make_.acceptance(application_, {endpoint_}));
    ASSERT_TRUE(accept(*store, all).ok());
    clock_.pass(std::chrono::hours(2));
    EXPECT_GE(steps(*store), 10);
  }
  const auto store = open();
  EXPECT_LE(steps(*store), 1);
  EXPECT_EQ(store->count()->deliveries_live, 50U);
}

// The thread that commits has others to serve.
TEST_F(RocksPurgeTest, AStepDropsNoMoreThanItsBoundAlsoOfOneMessage) {
  constexpr Duration kHour = std::chrono::hours(1);
  const RetentionRules rules{.others = {kHour, kHour, kHour, kHour}};
  const auto store = open();
  std::vector<EndpointId> endpoints;
  for (int i = 0; i < 50; ++i) endpoints.emplace_back(make_.ksuid());
  std::vector<Acceptance> all;
  for (int i = 0; i < 3; ++i) all.push_back(make_.acceptance(application_, endpoints));
  ASSERT_TRUE(accept(*store, all).ok());
  for (const Acceptance& each : all) {
    std::vector<model::Settlement> settlements;
    for (const model::Delivery& delivery : each.deliveries) {
      settlements.push_back(make_.delivered(delivery));
    }
    ASSERT_TRUE(settle(*store, settlements).ok());
  }
  clock_.pass(2 * kHour);
  PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules), .records_max = 30};
  std::uint64_t deliveries = 0;
  std::uint64_t attempts = 0;
  int steps = 0;
  for (; store->count()->messages > 0 && steps < 100; ++steps) {
    const Result<Purged> purged = purge(*store, order);
    ASSERT_TRUE(purged.ok());
    EXPECT_LE(purged->deliveries + purged->attempts, 30U);
    deliveries += purged->deliveries;
    attempts += purged->attempts;
    order.from = purged->next;
    if (!order.from) clock_.pass(std::chrono::seconds(1));  // The next sweep.
  }
  EXPECT_EQ(store->count()->messages, 0U);
  EXPECT_EQ(deliveries, 150U);
  EXPECT_EQ(attempts, 150U);
  EXPECT_EQ(store->kept({}).value(), KeptSizes());
}

// Others wait for their turn behind it.
TEST_F(RocksPurgeTest, ASweepEndsAlthoughMoreIsOverAllTheTime) {
  constexpr Duration kHour = std::chrono::hours(1);
  const RetentionRules rules{.others = {kHour, kHour, kHour, kHour}};
  const auto store = open();
  std::vector<Acceptance> all;
  for (int i = 0; i < 40; ++i) all.push_back(make_.acceptance(application_, {endpoint_}));
  ASSERT_TRUE(accept(*store, all).ok());  // Live: they are looked at again and again.
  clock_.pass(2 * kHour);
  PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules),
                   .begun_at = clock_.wall(),
                   .messages_max = 5};
  int steps = 0;
  do {
    const Result<Purged> purged = purge(*store, order);
    ASSERT_TRUE(purged.ok());
    order.from = purged->next;
    clock_.pass(kHour);
  } while (order.from && ++steps < 100);
  EXPECT_LE(steps, 10);
}

TEST_F(RocksPurgeTest, WhatWasPurgedLeavesTheDisk) {
  settings_.write_buffer_bytes = std::size_t{1} << 20U;
  const auto store = open();
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    std::vector<Acceptance> all;
    for (int n = 0; n < 100; ++n) {
      all.push_back(make_.acceptance(application_, {}));
      std::string noise(1000, ' ');
      for (char& c : noise) c = static_cast<char>(random.below(256));
      all.back().payload = std::make_shared<const std::string>(std::move(noise));
    }
    ASSERT_TRUE(accept(*store, all).ok());
  }
  ASSERT_TRUE(store->compact().ok());
  const auto bytes = [&] {
    return store->sizes()->at(static_cast<std::size_t>(Family::Payload)).bytes;
  };
  EXPECT_GT(bytes(), 3'500'000U);
  clock_.pass(std::chrono::hours(1));
  ASSERT_TRUE(purge_all(*store, std::chrono::hours(1)).ok());
  ASSERT_TRUE(store->compact().ok());
  EXPECT_LT(bytes(), 100'000U);
}

}  // namespace
}  // namespace petrel::store
