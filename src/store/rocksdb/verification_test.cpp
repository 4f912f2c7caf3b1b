#include "store/rocksdb/verification.h"

#include "store/testing/scratch_store.h"

namespace petrel::store {
namespace {

using model::DeliveryState;
using Names = std::vector<std::string>;

class VerificationGap : public ScratchStoreTest {
 protected:
  // One that was delivered and one that died, long past their retention.
  void fill_and_age() {
    const auto store = open();
    const std::vector<Acceptance> all = fill(*store, 2);
    settle(*store, {after_attempt(all[0].deliveries[0], DeliveryState::Delivered,
                                  policy::Outcome::answered(204)),
                    after_attempt(all[1].deliveries[0], DeliveryState::Dead,
                                  policy::Outcome::answered(500))});
    dead_ = all[1].deliveries[0].key;
    clock_.pass(settings_.retention + std::chrono::days(1));
  }

  model::DeliveryKey dead_;
};

// Stores of older formats dropped the two at different times.
TEST_F(VerificationGap, AnIndexEntryWhoseRecordRetentionHasDroppedIsNoDamage) {
  fill_and_age();

  remove(Family::Delivery, delivery_key(dead_).slice());
  EXPECT_EQ(findings(), Names{});
}

TEST_F(VerificationGap, ADeadLetterThatIsNotDeadIsDamage) {
  fill_and_age();
  const auto store = open();
  model::Delivery revived = store->delivery(dead_).value();
  revived.state = DeliveryState::Delivered;
  store->close();
  std::string bytes;
  encode(revived, bytes);
  put(Family::Delivery, delivery_key(dead_).slice(), bytes);

  EXPECT_EQ(findings(), Names{"delivery " + dead_.endpoint.text() + ' ' + dead_.message.text() +
                              ": does not agree with its place among the dead letters"});
}

TEST_F(VerificationGap, ADamagedRecordBehindAnIndexEntryIsDamage) {
  fill_and_age();
  break_record(Family::Delivery, delivery_key(dead_).slice());

  const Names found = findings();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("delivery " + dead_.endpoint.text())) << found[0];
}

}  // namespace
}  // namespace petrel::store
