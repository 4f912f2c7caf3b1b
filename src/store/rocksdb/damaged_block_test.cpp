// What is left of a family when a block of its table cannot be read: the store opens, says which
// table it is, and goes on with what lies before the block and behind it.

#include <algorithm>

#include "signature/key_ring.h"
#include "store/rocksdb/tally_journal.h"
#include "store/testing/scratch_store.h"

namespace petrel::store {
namespace {

class DamagedBlock : public ScratchStoreTest {
 protected:
  static constexpr int kMany = 600;  // Of most records: several blocks.

  // Does not compress.
  std::string noise() {
    std::string text;
    for (int i = 0; i < 6; ++i) text += ksuid().text();
    return text;
  }

  model::Application application() {
    model::Application made;
    made.id = ApplicationId(ksuid());
    made.name = noise();
    return made;
  }

  model::Endpoint endpoint() {
    model::Endpoint made(signature::KeyRing{signature::Secret::generate(random_)});
    made.id = EndpointId(ksuid());
    made.application = application_;
    made.url = "https://example.com/" + noise();
    return made;
  }

  // Into a new store.
  void create(const std::vector<Change>& changes) {
    const auto store = open();
    for (std::size_t i = 0; i < changes.size(); i += 100) {
      const std::size_t end = std::min(i + 100, changes.size());
      const auto begin = changes.begin();
      ASSERT_TRUE(change(*store, {begin + static_cast<std::ptrdiff_t>(i),
                                  begin + static_cast<std::ptrdiff_t>(end)})
                      .ok());
    }
  }

  static void expect_damage(const RocksStore& store, const std::string& name) {
    const StoreCondition condition = store.condition();
    ASSERT_EQ(condition.damage.size(), 1U);
    EXPECT_EQ(condition.damage[0].name, name);
    EXPECT_TRUE(condition.takes_writes);
  }

  // Most of them, and both ends.
  template <typename Ids>
  static void expect_most(const Ids& found, const Ids& all) {
    EXPECT_LT(found.size(), all.size());
    ASSERT_GT(found.size(), all.size() / 2);
    EXPECT_EQ(found.front(), all.front());
    EXPECT_EQ(found.back(), all.back());
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  }
};

TEST_F(DamagedBlock, ApplicationsBeforeItAndBehindItAreThere) {
  std::vector<Change> changes;
  std::vector<ApplicationId> all;
  for (int i = 0; i < kMany; ++i) {
    const model::Application one = application();
    all.push_back(one.id);
    changes.emplace_back(CreateApplication{one});
  }
  create(changes);
  std::sort(all.begin(), all.end());
  const std::string table = damage_block_of(Family::Application);

  const auto store = open();

  const auto left = store->all_applications();
  ASSERT_TRUE(left.ok()) << left.error().text();
  std::vector<ApplicationId> found;
  for (const model::Application& one : *left) found.push_back(one.id);
  expect_most(found, all);
  expect_damage(*store, table);
}

TEST_F(DamagedBlock, EndpointsBeforeItAndBehindItAreThere) {
  std::vector<Change> changes = {CreateApplication{application()}};
  application_ = std::get<CreateApplication>(changes[0]).application.id;
  std::vector<EndpointId> all;
  for (int i = 0; i < kMany; ++i) {
    const model::Endpoint one = endpoint();
    all.push_back(one.id);
    changes.emplace_back(CreateEndpoint{one});
  }
  create(changes);
  std::sort(all.begin(), all.end());
  const std::string table = damage_block_of(Family::Endpoint);

  const auto store = open();

  const auto left = store->all_endpoints();
  ASSERT_TRUE(left.ok()) << left.error().text();
  std::vector<EndpointId> found;
  for (const model::Endpoint& one : *left) found.push_back(one.id);
  expect_most(found, all);
  expect_damage(*store, table);
}

// It may own one of those that cannot be read.
TEST_F(DamagedBlock, ADeletedApplicationIsNotForgottenWhileEndpointsCannotBeRead) {
  const model::Application deleted = application();
  std::vector<Change> changes = {CreateApplication{application()}, CreateApplication{deleted},
                                 DeleteApplication{deleted.id, clock_.wall()}};
  application_ = std::get<CreateApplication>(changes[0]).application.id;
  for (int i = 0; i < kMany; ++i) changes.emplace_back(CreateEndpoint{endpoint()});
  create(changes);
  damage_block_of(Family::Endpoint);
  clock_.pass(settings_.retention + std::chrono::days(1));

  EXPECT_EQ(open()->all_applications()->size(), 2U);
}

TEST_F(DamagedBlock, EventTypesBeforeItAndBehindItAreThere) {
  std::vector<Change> changes;
  std::vector<std::string> all;
  for (int i = 0; i < kMany; ++i) {
    model::EventType one;
    one.name = "type." + std::to_string(1000 + i);
    one.description = noise();
    all.push_back(one.name);
    changes.emplace_back(CreateEventType{one});
  }
  create(changes);
  const std::string table = damage_block_of(Family::EventType);

  const auto store = open();

  const auto left = store->all_event_types();
  ASSERT_TRUE(left.ok()) << left.error().text();
  std::vector<std::string> found;
  for (const model::EventType& one : *left) found.push_back(one.name);
  expect_most(found, all);
  expect_damage(*store, table);
}

TEST_F(DamagedBlock, LanesBeforeItAndBehindItAreRecalled) {
  std::vector<EndpointId> all;
  {
    const auto database = open_database();
    rocksdb::WriteBatch batch;
    for (int i = 0; i < kMany; ++i) {
      all.emplace_back(ksuid());
      const Key key = Key().id(all.back());
      ASSERT_TRUE(batch.Put(database->family(Family::Lane), key.slice(), noise()).ok());
    }
    ASSERT_TRUE(database->write(batch).ok());
  }
  std::sort(all.begin(), all.end());
  const std::string table = damage_block_of(Family::Lane);

  const auto store = open();

  const auto left = store->kept_lanes();
  ASSERT_TRUE(left.ok()) << left.error().text();
  std::vector<EndpointId> found;
  for (const auto& [id, bytes] : *left) found.push_back(id);
  expect_most(found, all);
  expect_damage(*store, table);
}

TEST_F(DamagedBlock, WhatIsDueBeforeItAndBehindItIsLoaded) {
  std::vector<MessageId> all;
  {
    const auto store = open();
    for (const Acceptance& one : fill(*store, 3000)) all.push_back(one.message.id);
  }
  std::sort(all.begin(), all.end());
  const std::string table = damage_block_of(Family::Due);
  const auto store = open();

  const auto page = answer_to<Result<DuePage>>([&](auto done) {
    store->load_due({.endpoint = endpoint_, .limit = all.size()}, std::move(done));
  });

  ASSERT_TRUE(page.ok()) << page.error().text();
  std::vector<MessageId> found;
  for (const model::Delivery& one : page->deliveries) found.push_back(one.key.message);
  EXPECT_LT(found.size(), all.size());
  EXPECT_EQ(found.front(), all.front());
  EXPECT_EQ(found.back(), all.back());
  expect_damage(*store, table);
}

// Which of them have live deliveries is not known, so each has to be looked at.
TEST_F(DamagedBlock, EveryEndpointIsTakenUpIfTheDueIndexCannotBeRead) {
  std::vector<Change> changes = {CreateApplication{application()}};
  application_ = std::get<CreateApplication>(changes[0]).application.id;
  std::vector<EndpointId> all;
  for (int i = 0; i < 5; ++i) {
    const model::Endpoint one = endpoint();
    all.push_back(one.id);
    changes.emplace_back(CreateEndpoint{one});
  }
  create(changes);
  {
    const auto store = open();
    std::vector<Acceptance> batch;
    for (int i = 0; i < 2000; ++i) batch.push_back(acceptance(EndpointId(ksuid())));
    const auto accepted = answer_to<Result<std::vector<Accepted>>>(
        [&](auto done) { store->accept(batch, std::move(done)); });
    ASSERT_TRUE(accepted.ok());
    ASSERT_EQ(store->endpoints_with_live()->size(), 2000U);
  }
  std::sort(all.begin(), all.end());
  const std::string table = damage_block_of(Family::Due);
  const auto store = open();

  auto live = store->endpoints_with_live();

  ASSERT_TRUE(live.ok()) << live.error().text();
  EXPECT_TRUE(std::is_sorted(live->begin(), live->end()));
  EXPECT_TRUE(std::includes(live->begin(), live->end(), all.begin(), all.end()));
  EXPECT_GT(live->size(), 1000U);
  expect_damage(*store, table);
}

TEST_F(DamagedBlock, NumbersInTheJournalAreLostAndCountingGoesOn) {
  std::filesystem::path table;
  {
    const auto database = open_database();
    rocksdb::WriteBatch batch;
    for (std::uint64_t number = 0; number < 2000; ++number) {
      put_in_journal(*database, number, {{{EndpointId(ksuid())}, {}}}, batch);
    }
    ASSERT_TRUE(database->write(batch).ok());
    ASSERT_TRUE(database->db().Flush({}, database->family(Family::Tally)).ok());
    table = table_of(*database, Family::Tally);  // Now: opening the store would fold the journal.
  }
  flip(table);

  for (std::uint64_t messages = 2; messages <= 6; messages += 2) {
    const auto store = open();
    ASSERT_NE(store, nullptr);
    if (messages == 2) expect_damage(*store, table.filename().string());
    fill(*store, 2);
    EXPECT_EQ(store->tally(endpoint_)->live_fresh, messages);
  }
}

TEST_F(DamagedBlock, ATokenWhoseExpiryCannotBeReadIsRevokedForGood) {
  create({RevokeToken{std::string(32, 'a'), clock_.wall() + std::chrono::hours(1)},
          RevokeToken{std::string(32, 'b'), clock_.wall() + std::chrono::hours(1)}});
  break_record(Family::Revoked, std::string(32, 'a'));
  const auto store = open();

  const auto tokens = store->revoked_tokens();

  ASSERT_TRUE(tokens.ok()) << tokens.error().text();
  ASSERT_EQ(tokens->size(), 2U);
  EXPECT_EQ((*tokens)[0].hash, std::string(32, 'a'));
  EXPECT_EQ((*tokens)[0].expires_at, WallTime::max());
  EXPECT_EQ(store->condition().damage_total, 1U);
}

// Without the rest, tokens that somebody has revoked would be good again.
TEST_F(DamagedBlock, RevokedTokensAreGoneOnWithoutOnlyIfTheOperatorSaysSo) {
  std::vector<Change> changes;
  for (int i = 0; i < 1500; ++i) {
    std::string hash(32, '\0');
    random_.fill({reinterpret_cast<std::uint8_t*>(hash.data()), hash.size()});
    changes.emplace_back(RevokeToken{hash, clock_.wall() + std::chrono::hours(1)});
  }
  create(changes);
  const std::string table = damage_block_of(Family::Revoked);

  const auto refused = open()->revoked_tokens();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Corrupt);
  EXPECT_NE(refused.error().detail.find("--accept-data-loss"), std::string::npos);
  settings_.accepts_loss = true;
  const auto store = open();
  const auto left = store->revoked_tokens();

  ASSERT_TRUE(left.ok()) << left.error().text();
  EXPECT_LT(left->size(), changes.size());
  EXPECT_GT(left->size(), changes.size() / 2);
  expect_damage(*store, table);
}

}  // namespace
}  // namespace petrel::store
