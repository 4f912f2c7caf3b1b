// When a store says that it takes writes: only after one of its writes got to the disk.

#include "store/testing/scratch_store.h"

namespace petrel::store {
namespace {

class Proof : public ScratchStoreTest {
 protected:
  static StoreCondition prove(RocksStore& store) {
    return answer_to<StoreCondition>([&](auto done) { store.prove(std::move(done)); });
  }

  // Background work has met damage, so RocksDB takes no writes until it is opened again.
  std::unique_ptr<RocksStore> store_that_takes_no_writes() {
    fill(*open(), 1000);
    damage_block_of(Family::Message);
    auto store = open();
    EXPECT_FALSE(store->compact().ok());
    EXPECT_FALSE(store->condition().takes_writes);
    return store;
  }
};

TEST_F(Proof, ACommitThatWroteNothingProvesNothing) {
  const auto store = store_that_takes_no_writes();
  const model::Delivery unknown = acceptance(endpoint_).deliveries[0];

  settle(*store,
         {after_attempt(unknown, model::DeliveryState::Delivered, policy::Outcome::answered(204))});

  EXPECT_FALSE(store->condition().takes_writes);
  EXPECT_FALSE(store->condition().written_at);
}

TEST_F(Proof, AStoreThatIsWellAgainSaysSoAlthoughNobodyWrites) {
  std::promise<void> is_well;
  settings_.retry_pause = std::chrono::milliseconds(10);
  settings_.listeners.writes = [&](const std::string& why) {
    if (why.empty()) is_well.set_value();
  };
  const auto store = store_that_takes_no_writes();
  const auto refused = answer_to<Result<std::vector<Accepted>>>(
      [&](auto done) { store->accept({acceptance(endpoint_)}, std::move(done)); });
  ASSERT_FALSE(refused.ok());

  clock_.pass(std::chrono::seconds(1));

  const auto waited = is_well.get_future().wait_for(std::chrono::seconds(60));
  EXPECT_EQ(waited, std::future_status::ready);
  EXPECT_TRUE(store->condition().takes_writes);
}

TEST_F(Proof, OneThatIsRefusedSaysWhy) {
  const auto store = open();
  store->close();

  const StoreCondition condition = prove(*store);

  EXPECT_FALSE(condition.takes_writes);
  EXPECT_EQ(condition.why_not, "the store is closed");
}

TEST_F(Proof, OneIsMadeAlthoughTheWallClockWasSetBack) {
  const auto store = open();
  const WallTime first = *prove(*store).written_at;
  clock_.set_wall_by(-std::chrono::hours(1));
  EXPECT_EQ(*prove(*store).written_at, first) << "no time has passed";

  clock_.pass(std::chrono::seconds(1));

  EXPECT_EQ(*prove(*store).written_at, clock_.wall());
}

}  // namespace
}  // namespace petrel::store
