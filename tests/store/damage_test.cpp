// What a store does when its disk has changed what it had written: it says so, serves nothing that
// is damaged, and goes on with the rest.

#include "damaged_store.h"

namespace petrel::store {
namespace {

namespace fs = std::filesystem;

using LogTest = DamagedStoreTest;
using TableTest = DamagedStoreTest;
using RecordTest = DamagedStoreTest;
using ConditionTest = DamagedStoreTest;

TEST_F(LogTest, AnEarlierLogThatIsMissingIsNoticed) {
  fill(*open(), 300);
  const auto logs = files(".log");
  ASSERT_GE(logs.size(), 2U);
  fs::remove(logs.front());

  const Error error = refusal();

  EXPECT_EQ(error.field, logs.front().filename().string());
  EXPECT_NE(error.detail.find("--accept-data-loss"), std::string::npos) << error.text();
}

TEST_F(LogTest, AnEarlierLogThatIsCutIsNoticed) {
  fill(*open(), 300);
  const auto logs = files(".log");
  ASSERT_GE(logs.size(), 2U);
  cut(logs.front());

  EXPECT_EQ(refusal().field, logs.front().filename().string());
}

TEST_F(LogTest, TheLastLogThatIsMissingIsNoticed) {
  fill(*open(), 10);
  fs::remove(files(".log").back());

  const Error error = refusal();

  EXPECT_EQ(error.field, "the last log");
  EXPECT_NE(error.detail.find("--accept-data-loss"), std::string::npos) << error.text();
}

TEST_F(LogTest, TheLastLogThatIsCutIsNoticed) {
  fill(*open(), 10);
  cut(files(".log").back());

  EXPECT_EQ(refusal().field, "the last log");
}

TEST_F(LogTest, AnEndThatNobodyWasToldOfIsDropped) {
  const std::vector<Acceptance> all = fill(*open(), 10);
  std::ofstream(files(".log").back(), std::ios::app | std::ios::binary) << std::string(300, 'x');

  EXPECT_EQ(open()->count()->messages, all.size());
}

TEST_F(LogTest, GoesOnWithWhatIsLeftIfTheOperatorSaysSo) {
  fill(*open(), 10);
  cut(files(".log").back());
  settings_.accepts_loss = true;
  std::uint64_t left = 0;
  {
    const auto store = open();
    const StoreCondition condition = store->condition();
    ASSERT_EQ(condition.damage.size(), 1U);
    EXPECT_EQ(condition.damage[0].name, "the last log");
    left = store->count()->messages;
    EXPECT_LT(left, 10U);
    fill(*store, 1);
  }
  settings_.accepts_loss = false;

  const auto store = open();

  EXPECT_EQ(store->count()->messages, left + 1);
  EXPECT_TRUE(store->condition().is_well());
}

TEST_F(LogTest, AStoreThatIsOpenedOverAndOverIsWhole) {
  for (int round = 0; round < 12; ++round) fill(*open(), round % 3 == 0 ? 0 : 60);
  EXPECT_EQ(open()->count()->messages, 8U * 60);
}

TEST_F(LogTest, AStoreWithoutItsBeginningIsNotMadeAnew) {
  {
    const auto store = open();
    fill(*store, 10);
    ASSERT_TRUE(store->compact().ok());
  }
  fs::remove(settings_.path + "/CURRENT");
  const auto tables = files(".sst");

  EXPECT_EQ(refusal().field, "CURRENT");
  EXPECT_EQ(files(".sst"), tables);
}

TEST_F(TableTest, PayloadsOfOtherTablesAreServedAndTheDamagedOnesAreNot) {
  std::vector<Acceptance> all;
  {
    const auto store = open();
    all = fill(*store, 200);
    ASSERT_TRUE(store->compact().ok());
  }
  const auto tables = tables_of(Family::Payload);
  ASSERT_FALSE(tables.empty());
  flip(tables.front(), fs::file_size(tables.front()) / 2);
  settings_.is_compacting = false;
  const auto store = open();
  std::vector<MessageId> ids;
  for (const Acceptance& one : all) ids.push_back(one.message.id);

  const auto payloads = load_payloads(*store, ids);

  ASSERT_TRUE(payloads.ok());
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const LoadedPayload& loaded = (*payloads)[i];
    damaged += loaded.is_damaged ? 1 : 0;
    if (!loaded.is_damaged) {
      ASSERT_NE(loaded.bytes, nullptr);
      EXPECT_EQ(*loaded.bytes, *all[i].payload);
    }
  }
  EXPECT_GT(damaged, 0U);
  EXPECT_LT(damaged, all.size());
  const StoreCondition condition = store->condition();
  ASSERT_EQ(condition.damage.size(), 1U);
  EXPECT_EQ(condition.damage[0].name, tables.front().filename().string());
  EXPECT_TRUE(condition.takes_writes);
  fill(*store, 1);  // And others are accepted.
}

TEST_F(TableTest, WritesGoOnAfterBackgroundWorkHasMetDamage) {
  {
    const auto store = open();
    fill(*store, 200);
    ASSERT_TRUE(store->compact().ok());
  }
  const auto tables = tables_of(Family::Payload);
  flip(tables.front(), fs::file_size(tables.front()) / 2);
  const auto store = open();
  ASSERT_FALSE(store->compact().ok());

  bool is_accepted = false;
  for (int tries = 0; tries < 100 && !is_accepted; ++tries) {
    clock_.pass(std::chrono::seconds(2));
    is_accepted = accept(*store, {make_.acceptance(application_, {endpoint_})}).ok();
  }

  EXPECT_TRUE(is_accepted);
  ASSERT_FALSE(store->condition().damage.empty());
  EXPECT_EQ(store->condition().damage[0].name, tables.front().filename().string());
}

TEST_F(RecordTest, ADamagedDeliveryIsLeftOutAndTheOthersAreDue) {
  const std::vector<Acceptance> all = fill(*open(), 5);
  for (const int broken : {0, 1, 4}) {
    break_record(Family::Delivery,
                 delivery_key(all[static_cast<std::size_t>(broken)].deliveries[0].key).slice());
  }
  const auto store = open();

  const auto page = load_due(*store, {.endpoint = endpoint_, .limit = 2});

  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->deliveries, (std::vector{all[2].deliveries[0], all[3].deliveries[0]}));
  const StoreCondition condition = store->condition();
  ASSERT_EQ(condition.damage.size(), 2U);
  EXPECT_EQ(condition.damage[0].name,
            "delivery " + endpoint_.text() + ' ' + all[0].message.id.text());
}

TEST_F(RecordTest, ADamagedPayloadIsTold) {
  const std::vector<Acceptance> all = fill(*open(), 2);
  break_record(Family::Payload, Key().id(all[0].message.id).slice());
  const auto store = open();

  const auto payloads = load_payloads(*store, {all[0].message.id, all[1].message.id});

  EXPECT_TRUE((*payloads)[0].is_damaged);
  EXPECT_EQ(*(*payloads)[1].bytes, *all[1].payload);
  EXPECT_EQ(store->payload(all[0].message.id).error().kind, ErrorKind::Corrupt);
  EXPECT_EQ(store->condition().damage.at(0).name, "payload " + all[0].message.id.text());
}

TEST_F(RecordTest, ADamagedEndpointDoesNotKeepTheOthersFromStarting) {
  const model::Application acme = make_.application("acme");
  const model::Endpoint good = make_.endpoint(acme.id, "good");
  const model::Endpoint bad = make_.endpoint(acme.id, "bad");
  {
    const auto store = open();
    ASSERT_TRUE(create(*store, acme).ok());
    ASSERT_TRUE(create(*store, good).ok());
    ASSERT_TRUE(create(*store, bad).ok());
  }
  break_record(Family::Endpoint, Key().id(bad.id).slice());

  const auto store = open();

  const auto endpoints = store->all_endpoints();
  ASSERT_TRUE(endpoints.ok());
  ASSERT_EQ(endpoints->size(), 1U);
  EXPECT_EQ((*endpoints)[0].id, good.id);
  EXPECT_EQ(store->condition().damage.at(0).name, "endpoint " + bad.id.text());
}

TEST_F(RecordTest, DamagedNumbersRefuseNoMessage) {
  fill(*open(), 3);
  break_record(Family::Tally, Key().id(endpoint_).slice());
  const auto store = open();

  fill(*store, 1);

  EXPECT_EQ(store->condition().damage_total, 1U);
}

TEST_F(RecordTest, ASettlementOfADamagedDeliveryIsCorruptAndTheOthersAreWritten) {
  const std::vector<Acceptance> all = fill(*open(), 2);
  break_record(Family::Delivery, delivery_key(all[0].deliveries[0].key).slice());
  const auto store = open();

  const auto both = settle(
      *store, {make_.delivered(all[0].deliveries[0]), make_.delivered(all[1].deliveries[0])});

  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().kind, ErrorKind::Corrupt);
  EXPECT_EQ(store->delivery(all[1].deliveries[0].key)->state, model::DeliveryState::Delivered);
}

TEST_F(ConditionTest, AnIdleStoreProvesThatItTakesWrites) {
  const auto store = open();
  EXPECT_FALSE(store->condition().written_at);

  const auto proved = wait_for<StoreCondition>([&](auto done) { store->prove(std::move(done)); });

  EXPECT_TRUE(proved.is_well());
  EXPECT_EQ(proved.written_at, clock_.wall());
}

TEST_F(ConditionTest, AProofIsMadeOncePerSecondAtMost) {
  const auto store = open();
  const auto prove = [&] {
    return *wait_for<StoreCondition>([&](auto done) { store->prove(std::move(done)); }).written_at;
  };
  const WallTime first = prove();
  clock_.pass(std::chrono::milliseconds(999));
  EXPECT_EQ(prove(), first);
  clock_.pass(std::chrono::milliseconds(1));
  EXPECT_EQ(prove(), first + std::chrono::seconds(1));
}

TEST_F(ConditionTest, AClosedStoreAnswersTheProof) {
  const auto store = open();
  store->close();
  wait_for<StoreCondition>([&](auto done) { store->prove(std::move(done)); });
}

}  // namespace
}  // namespace petrel::store
