// What the embedded store promises when the power goes, a sync fails or the disk is full, tried out
// on the real RocksDB over a disk that can do all of that.

#include <functional>

#include <gtest/gtest.h>

#include "faulty_disk.h"
#include "ledger.h"

namespace petrel::store {
namespace {

class PowerLossTest : public testing::Test {
 protected:
  PowerLossTest() : disk_(std::make_shared<FaultyDisk>()), env_(env_on(disk_)) {}

  RocksSettings settings(Random& random) {
    RocksSettings made;
    made.path = folder_.at("store");
    made.vault = test_vault();
    made.env = env_.get();
    made.is_sync = is_sync_;
    made.retention = std::chrono::years(100);  // The clock is real, the records' times are not.
    made.retry_pause = std::chrono::milliseconds(1);
    // So small that files are written and merged all the time, or so large that they never are.
    made.write_buffer_bytes = std::size_t{1} << (16 + 3 * random.below(4));
    return made;
  }

  // Lives of one store, each ended by a power cut; the faults that were found after each.
  std::vector<std::string> live_through_cuts(std::uint64_t seed, int lives) {
    Ledger ledger(seed);
    Random& random = ledger.random();
    std::vector<std::string> faults;
    auto store = open_rocks(settings(random), clock_);
    for (int life = 0; life < lives; ++life) {
      if (!store) return {"it does not open"};
      disk_->cut_after(1 + random.below(random.below(2) == 0 ? 50 : 400));
      ledger.run(*store, 100'000);
      EXPECT_TRUE(disk_->is_cut());
      store.reset();
      disk_->restart(random);
      auto opened = RocksStore::open(settings(random), clock_);
      if (!opened.ok() && may_refuse_) opened = open_with_leave(opened.error(), random);
      if (!opened.ok()) return {opened.error().text()};
      store = *std::move(opened);
      for (std::string& fault : ledger.check(*store)) faults.push_back(std::move(fault));
      if (!faults.empty()) break;
    }
    store.reset();
    disk_->restart(random);
    std::filesystem::remove_all(folder_.at("store"));
    return faults;
  }

  // A log whose end has holes looks like one that lost what was acknowledged: the store must not
  // tell itself otherwise. It refuses, says so, and goes on if the operator has it do so.
  Result<std::unique_ptr<RocksStore>> open_with_leave(const Error& refusal, Random& random) {
    EXPECT_EQ(refusal.kind, ErrorKind::Corrupt) << refusal.text();
    EXPECT_NE(refusal.text().find("inspect --verify"), std::string::npos) << refusal.text();
    ++refusals_;
    RocksSettings with_leave = settings(random);
    with_leave.accepts_loss = true;
    return RocksStore::open(with_leave, clock_);
  }

  ScratchFolder folder_;
  SystemClock clock_;
  std::shared_ptr<FaultyDisk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
  bool is_sync_ = true;
  bool may_refuse_ = false;
  int refusals_ = 0;
};

class PowerCutTest : public PowerLossTest, public testing::WithParamInterface<int> {};

TEST_P(PowerCutTest, NothingThatWasAnsweredIsLostAndNothingIsThereByHalf) {
  EXPECT_EQ(live_through_cuts(static_cast<std::uint64_t>(GetParam()), 4),
            std::vector<std::string>());
}

TEST_P(PowerCutTest, WhateverReachesTheDiskOutOfOrderNothingThatWasAnsweredIsLost) {
  disk_->reorder();
  may_refuse_ = true;
  EXPECT_EQ(live_through_cuts(static_cast<std::uint64_t>(GetParam()), 6),
            std::vector<std::string>());
  RecordProperty("refusals", refusals_);
}

// The clock is real and the records' times are long past, so all that has ended is over.
TEST_P(PowerCutTest, APurgeThatIsCutLeavesMessagesWholeOrGoneAndGoesOn) {
  Random random(static_cast<std::uint64_t>(GetParam()));
  Maker make(static_cast<std::uint64_t>(GetParam()));
  const ApplicationId application = make.application_id();
  const EndpointId endpoint = make.endpoint_id();
  std::vector<Acceptance> live;
  std::vector<Acceptance> ended;
  auto store = open_rocks(settings(random), clock_);
  for (int i = 0; i < 60; ++i) {
    const Acceptance made = make.acceptance(application, {endpoint});
    ASSERT_TRUE(accept(*store, {made}).ok());
    const model::Delivery& fresh = made.deliveries[0];
    (i % 3 == 0 ? live : ended).push_back(made);
    if (i % 3 == 0) continue;
    const model::Settlement end = i % 3 == 1 ? make.delivered(fresh) : make.dead(fresh);
    ASSERT_TRUE(settle(*store, {end}).ok());
  }
  constexpr Duration kHour = std::chrono::hours(1);
  const RetentionRules rules{.others = {kHour, kHour, kHour, kHour}};
  PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules), .messages_max = 4};

  disk_->cut_after(1 + random.below(30));
  for (bool is_over = false; !is_over;) {
    const Result<Purged> purged = purge(*store, order);
    is_over = !purged.ok() || !purged->next;
    if (purged.ok()) order.from = purged->next;
  }
  store.reset();
  disk_->restart(random);
  store = open_rocks(settings(random), clock_);
  ASSERT_TRUE(store);

  std::uint64_t left = 0;
  std::uint64_t dead = 0;
  for (const Acceptance& each : ended) {
    const bool is_there = store->message(application, each.message.id).ok();
    const auto delivery = store->delivery(each.deliveries[0].key);
    const auto attempts = store->attempts_of_message(each.message.id, {}, {});
    EXPECT_EQ(delivery.ok(), is_there);
    EXPECT_EQ(*store->payload(each.message.id) != nullptr, is_there);
    EXPECT_EQ(attempts->items.size(), is_there ? 1U : 0U);
    left += is_there ? 1 : 0;
    dead += is_there && delivery->state == model::DeliveryState::Dead ? 1 : 0;
  }
  EXPECT_EQ(store->kept(application)->messages, live.size() + left);
  EXPECT_EQ(store->tally(endpoint)->dead_total(), dead);
  EXPECT_EQ(store->dead_letters({.application = application, .limit = 100})->items.size(), dead);

  ASSERT_TRUE(purge_all(*store, kHour).ok());
  EXPECT_EQ(store->kept({})->messages, live.size());
  EXPECT_EQ(store->tally(endpoint).value(), EndpointTally{.live_fresh = live.size()});
  for (const Acceptance& each : live) {
    EXPECT_EQ(*store->payload(each.message.id).value(), *each.payload);
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, PowerCutTest, testing::Range(1, 13));

// The test above is worth something only if it can fail.
TEST_F(PowerLossTest, WithoutSyncsTheLossIsFound) {
  is_sync_ = false;
  std::size_t with_loss = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    if (!live_through_cuts(seed, 3).empty()) ++with_loss;
  }
  EXPECT_GE(with_loss, 3U);
}

// RocksDB's flushes sync the logs that are closed, and so does a commit. It aborts if one of them
// comes to a log at which the other has failed; so nothing may be left to sync there.
TEST_F(PowerLossTest, ALogIsSyncedToItsEndBeforeTheNextOneBegins) {
  Ledger ledger(1);
  RocksSettings made = settings(ledger.random());
  made.write_buffer_bytes = std::size_t{1} << 16U;
  disk_->fail_late_syncs();

  constexpr int kLives = 20;
  for (int life = 0; life < kLives; ++life) {
    auto store = open_rocks(made, clock_);
    ASSERT_TRUE(store);
    ledger.run(*store, 20);
    EXPECT_EQ(ledger.check(*store), std::vector<std::string>());
  }

  EXPECT_GT(disk_->logs(), 2U * kLives) << "none was closed while the store was open";
}

class DiskFaultTest : public PowerLossTest, public testing::WithParamInterface<int> {
 protected:
  // A fault comes and goes under a running store; then the power is cut.
  void go_through(DiskFault fault) {
    Ledger ledger(static_cast<std::uint64_t>(GetParam()));
    Random& random = ledger.random();
    auto store = open_rocks(settings(random), clock_);
    ASSERT_TRUE(store);
    ledger.run(*store, 20);

    disk_->arm(fault, 1);
    ledger.run(*store, 100);
    while_faulty(*store);
    disk_->heal();

    ASSERT_TRUE(ledger.settle_doubts(*store, std::chrono::minutes(1)));
    EXPECT_EQ(ledger.check(*store), std::vector<std::string>());
    ledger.run(*store, 20);
    disk_->cut_after(1);
    store.reset();
    disk_->restart(random);
    store = open_rocks(settings(random), clock_);
    ASSERT_TRUE(store);
    EXPECT_EQ(ledger.check(*store), std::vector<std::string>());
  }

  std::function<void(RocksStore&)> while_faulty = [](RocksStore& /*store*/) {};
};

TEST_P(DiskFaultTest, AfterFailedSyncsTheStoreGoesOnByItselfAndNothingIsLost) {
  while_faulty = [&](RocksStore& store) {
    Maker make(99);
    const auto answer = accept(store, {make.acceptance(make.application_id(), {})});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().kind, ErrorKind::Unavailable);
    EXPECT_TRUE(store.count().ok()) << "a disk that fails can still be read";
  };
  go_through(DiskFault::FailedSync);
}

TEST_P(DiskFaultTest, AfterAFullDiskTheStoreGoesOnByItselfAndNothingIsLost) {
  while_faulty = [&](RocksStore& store) {
    Maker make(99);
    const auto answer = accept(store, {make.acceptance(make.application_id(), {})});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().kind, ErrorKind::Unavailable);
    EXPECT_TRUE(store.count().ok()) << "a full disk can still be read";
  };
  go_through(DiskFault::Full);
}

INSTANTIATE_TEST_SUITE_P(Seed, DiskFaultTest, testing::Range(1, 7));

}  // namespace
}  // namespace petrel::store
