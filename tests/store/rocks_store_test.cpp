// What holds for the embedded store alone: it outlives the process, has a format, makes copies of
// itself, forgets what is old, and has bounds.

#include "store/rocksdb/rocks_store.h"

#include <filesystem>

#include <rocksdb/perf_context.h>

#include "harness.h"
#include "store/bytes.h"
#include "store/rocksdb/backup.h"
#include "store/rocksdb/migrations.h"

namespace petrel::store {
namespace {

class RocksStoreTest : public testing::Test {
 protected:
  RocksStoreTest() {
    settings_.path = folder_.at("store");
    settings_.vault = test_vault();
  }

  std::unique_ptr<RocksStore> open() { return open_rocks(settings_, clock_); }

  std::string refusal() {
    const auto opened = RocksStore::open(settings_, clock_);
    return opened.ok() ? "it opened" : opened.error().text();
  }

  std::unique_ptr<Database> open_database() {
    auto opened = Database::open(settings_, clock_);
    EXPECT_TRUE(opened.ok());
    return *std::move(opened);
  }

  void write_format(std::uint64_t format) {
    const auto database = open_database();
    std::string value;
    ByteWriter(value).number(format);
    ASSERT_TRUE(database->db().Put({}, database->family(Family::Meta), "format", value).ok());
  }

  StillClock clock_;
  ScratchFolder folder_;
  RocksSettings settings_;
  Maker make_;
  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

TEST_F(RocksStoreTest, EverythingIsThereAfterReopening) {
  const model::Application acme = make_.application("acme");
  const model::Endpoint main = make_.endpoint(acme.id, "main");
  Acceptance first = make_.acceptance(acme.id, {main.id});
  first.message.event_id = "evt-1";
  first.idempotent = IdempotentAnswer{"key", "hash", kNoon + std::chrono::hours(1)};
  const Acceptance second = make_.acceptance(acme.id, {main.id});
  const model::Settlement settlement = make_.dead(first.deliveries[0]);
  const model::EventType type = make_.event_type("invoice.paid");
  const RevokeToken token{"token", kNoon + std::chrono::hours(1)};
  const KeptAnswer answer{.key = "set",
                          .body_hash = "hash",
                          .expires_at = kNoon + std::chrono::hours(1),
                          .status = 201};
  {
    const auto store = open();
    ASSERT_TRUE(create(*store, acme).ok());
    ASSERT_TRUE(create(*store, main).ok());
    ASSERT_TRUE(accept(*store, {first, second}).ok());
    ASSERT_TRUE(settle(*store, {settlement}).ok());
    ASSERT_TRUE(
        change(*store, ChangeSet{.changes = {CreateEventType{type}, token}, .answer = answer})
            .ok());
  }

  const auto store = open();

  EXPECT_EQ(store->all_event_types().value(), std::vector{type});
  EXPECT_EQ(store->revoked_tokens().value(), std::vector{token});
  EXPECT_EQ(store->kept_answer("set")->value().status, 201);
  EXPECT_EQ(store->all_applications().value(), std::vector{acme});
  EXPECT_EQ(store->all_endpoints().value(), std::vector{main});
  EXPECT_EQ(store->message(acme.id, first.message.id).value(), first.message);
  EXPECT_EQ(*store->payload(second.message.id).value(), *second.payload);
  EXPECT_EQ(store->dead_letters({.application = acme.id})->items, std::vector{settlement.delivery});
  EXPECT_EQ(load_due(*store, {.endpoint = main.id})->deliveries, second.deliveries);
  EXPECT_EQ(store->attempts_of_endpoint(main.id, {}, {})->items, std::vector{*settlement.attempt});
  EXPECT_EQ(store->message_by_event_id(acme.id, "evt-1").value(), first.message.id);
  EXPECT_EQ(store->totals(), store->tally(main.id).value());
  EXPECT_EQ(store->totals().live_fresh, 1U);
  EXPECT_EQ(store->totals().dead_total(), 1U);
  EXPECT_EQ(store->deepest(5), (std::vector{QueueDepth{main.id, 1, 0}}));
  EXPECT_FALSE(create(*store, make_.application("acme")).ok());
  Acceptance repeated = make_.acceptance(acme.id, {main.id});
  repeated.idempotent = first.idempotent;
  EXPECT_EQ(accept(*store, {repeated})->at(0).kind, Accepted::Kind::Repeated);
}

TEST_F(RocksStoreTest, AFolderThatIsInUseIsRefusedInWords) {
  const auto store = open();
  EXPECT_EQ(refusal(), "another petrel process uses this folder: " + settings_.path);
}

TEST_F(RocksStoreTest, ANewerFormatIsRefusedInWords) {
  write_format(4);
  EXPECT_EQ(refusal(),
            "written by a newer Petrel (format 4, this one knows 3): use that version or restore a "
            "backup");
}

TEST_F(RocksStoreTest, AFamilyThatIsNotKnownIsRefusedInWords) {
  {
    const auto database = open_database();
    rocksdb::ColumnFamilyHandle* made = nullptr;
    ASSERT_TRUE(database->db().CreateColumnFamily({}, "novelty", &made).ok());
    database->db().DestroyColumnFamilyHandle(made);
  }
  EXPECT_NE(refusal().find("was written by a newer Petrel (it has 'novelty'"), std::string::npos);
}

TEST_F(RocksStoreTest, MigrationsRunInOrderAndOnlyOnce) {
  static std::vector<int> ran;
  ran.clear();
  const std::vector<Migration> migrations = {
      {3, [](Database& /*database*/) { return ran.push_back(3), Status(Done{}); }},
      {4, [](Database& /*database*/) { return ran.push_back(4), Status(Done{}); }},
      {5, [](Database& /*database*/) { return ran.push_back(5), Status(Done{}); }}};
  const auto database = open_database();

  ASSERT_TRUE(migrate(*database, 5, migrations).ok());
  ASSERT_TRUE(migrate(*database, 5, migrations).ok());

  EXPECT_EQ(ran, (std::vector{4, 5}));
}

TEST_F(RocksStoreTest, AMigrationThatFailsRunsAgain) {
  static bool fails = true;
  const std::vector<Migration> migrations = {{4, [](Database& /*database*/) {
                                                return fails ? Status(unavailable("no"))
                                                             : Status(Done{});
                                              }}};
  const auto database = open_database();
  EXPECT_FALSE(migrate(*database, 4, migrations).ok());
  fails = false;
  EXPECT_TRUE(migrate(*database, 4, migrations).ok());
}

TEST_F(RocksStoreTest, AStoreWithoutTalliesIsCountedWhenItOpens) {
  std::vector<Acceptance> all;
  for (int i = 0; i < 4; ++i) all.push_back(make_.acceptance(application_, {endpoint_}));
  {
    const auto store = open();
    ASSERT_TRUE(accept(*store, all).ok());
    ASSERT_TRUE(
        settle(*store, {make_.delivered(all[0].deliveries[0]), make_.dead(all[1].deliveries[0]),
                        make_.retrying(all[2].deliveries[0], kNoon)})
            .ok());
  }
  {
    const auto database = open_database();
    const std::string beyond(64, '\xFF');
    ASSERT_TRUE(database->db().DeleteRange({}, database->family(Family::Tally), "", beyond).ok());
  }
  write_format(1);

  const auto store = open();

  EndpointTally expected{.live_fresh = 1, .live_retry = 1};
  expected.dead[static_cast<std::size_t>(policy::DeadReason::Exhausted)] = 1;
  EXPECT_EQ(store->tally(endpoint_).value(), expected);
  EXPECT_EQ(store->hours(endpoint_, kNoon, kNoon + std::chrono::hours(1)).value(),
            (std::vector{HourTally{hour_of(kNoon), 1, 2}}));
  EXPECT_EQ(store->kept(application_).value(), (KeptSizes{4, 4, 4 * all[0].payload->size()}));
}

// A record of an older version does not say how large its payload is.
TEST_F(RocksStoreTest, WhatAnOlderPetrelLeftIsPurgedAndCounted) {
  Acceptance own = make_.acceptance(application_, {});
  own.message.payload_expires_at = kNoon + std::chrono::hours(1);
  Acceptance other = make_.acceptance(application_, {});
  {
    const auto store = open();
    ASSERT_TRUE(accept(*store, {own, other}).ok());
  }
  for (const Acceptance& each : {own, other}) {
    std::string bytes;
    encode(StoredMessage{.message = each.message}, bytes);
    bytes.pop_back();
    bytes[0] = 2;
    const auto database = open_database();
    const Key key = message_key(application_, each.message.id);
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(database->family(Family::Message), key.slice(), bytes).ok());
    for (const Family family : {Family::Retention, Family::Tally}) {
      const std::string beyond(64, '\xFF');
      ASSERT_TRUE(batch.DeleteRange(database->family(family), "", beyond).ok());
    }
    ASSERT_TRUE(database->write(batch).ok());
  }
  write_format(2);
  const auto store = open();
  const std::uint64_t bytes = own.payload->size();
  EXPECT_EQ(store->kept(application_).value(), (KeptSizes{2, 2, 2 * bytes}));

  clock_.pass(std::chrono::hours(1));
  ASSERT_TRUE(purge_all(*store, std::chrono::days(90)).ok());
  EXPECT_EQ(store->kept(application_).value(), (KeptSizes{2, 1, bytes}));
  EXPECT_EQ(*store->payload(other.message.id).value(), *other.payload);

  clock_.pass(std::chrono::days(90));
  ASSERT_TRUE(purge_all(*store, std::chrono::days(90)).ok());
  EXPECT_EQ(store->kept({}).value(), KeptSizes());
  EXPECT_EQ(store->count()->messages, 0U);
}

TEST_F(RocksStoreTest, AStoreOfFewerFamiliesIsOfAnOlderVersion) {
  EXPECT_FALSE(is_of_older_version(settings_.path));
  open();
  EXPECT_FALSE(is_of_older_version(settings_.path));
  {
    const auto database = open_database();
    ASSERT_TRUE(database->db().DropColumnFamily(database->family(Family::Retention)).ok());
  }
  EXPECT_TRUE(is_of_older_version(settings_.path));
}

TEST_F(RocksStoreTest, TalliesOutliveItWhetherTheirJournalWasFoldedOrNot) {
  settings_.is_sync = false;  // Only to be quick.
  std::uint64_t accepted = 0;
  for (const std::uint64_t commits : {Tallies::kJournalMax / 2, Tallies::kJournalMax + 10}) {
    const auto store = open();
    for (std::uint64_t i = 0; i < commits; ++i) {
      ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());
      EXPECT_EQ(store->tally(endpoint_)->live_fresh, ++accepted);
    }
    store->close();
    EXPECT_EQ(open()->tally(endpoint_)->live_fresh, accepted);
  }
}

TEST_F(RocksStoreTest, ACheckpointIsTheStoreAsItWas) {
  const Acceptance before = make_.acceptance(application_, {endpoint_});
  {
    const auto store = open();
    ASSERT_TRUE(accept(*store, {before}).ok());
    ASSERT_TRUE(store->checkpoint(folder_.at("backup")).ok());
    ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());
    const auto again = store->checkpoint(folder_.at("backup"));
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().kind, ErrorKind::Conflict);
  }

  ASSERT_TRUE(restore(folder_.at("backup"), folder_.at("restored"), clock_).ok());
  settings_.path = folder_.at("restored");
  const auto store = open();

  EXPECT_EQ(store->count()->messages, 1U);
  EXPECT_EQ(load_due(*store, {.endpoint = endpoint_})->deliveries, before.deliveries);
}

TEST_F(RocksStoreTest, AStagedCheckpointTakesThePlaceOfTheOneBefore) {
  const std::string staging = (std::filesystem::path(settings_.path) / kStagingName).string();
  {
    const auto store = open();
    ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());
    ASSERT_TRUE(store->stage().ok());
    ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());
    ASSERT_TRUE(store->stage().ok());
    ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());
  }
  EXPECT_EQ(open()->count()->messages, 3U);  // The folder in its own is nothing to it.

  ASSERT_TRUE(restore(staging, folder_.at("restored"), clock_).ok());
  clear_staging(settings_.path);
  EXPECT_FALSE(std::filesystem::exists(staging));
  settings_.path = folder_.at("restored");
  EXPECT_EQ(open()->count()->messages, 2U);
}

TEST_F(RocksStoreTest, RestoringNeverOverwrites) {
  ASSERT_TRUE(open()->checkpoint(folder_.at("backup")).ok());

  const Status over = restore(folder_.at("backup"), settings_.path, clock_);
  const Status from_nowhere = restore(folder_.at("nowhere"), folder_.at("restored"), clock_);

  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().kind, ErrorKind::Conflict);
  ASSERT_FALSE(from_nowhere.ok());
  EXPECT_EQ(from_nowhere.error().kind, ErrorKind::NotFound);
}

TEST_F(RocksStoreTest, WhatHasEndedIsForgottenAfterItsTimeAndWhatIsLiveIsNot) {
  const auto store = open();
  std::vector<Acceptance> all;
  for (int i = 0; i < 3; ++i) all.push_back(make_.acceptance(application_, {endpoint_}));
  all[0].message.event_id = "evt-1";
  ASSERT_TRUE(accept(*store, all).ok());
  ASSERT_TRUE(
      settle(*store, {make_.delivered(all[0].deliveries[0]), make_.dead(all[1].deliveries[0])})
          .ok());
  ASSERT_TRUE(purge_all(*store, std::chrono::days(30)).ok());
  EXPECT_EQ(store->count()->messages, 3U);

  clock_.pass(std::chrono::days(31));
  ASSERT_TRUE(purge_all(*store, std::chrono::days(30)).ok());

  EXPECT_EQ(store->payload(all[0].message.id).value(), nullptr);
  EXPECT_FALSE(store->message(application_, all[1].message.id).ok());
  EXPECT_FALSE(store->message_by_event_id(application_, "evt-1").ok());
  EXPECT_TRUE(store->dead_letters({.application = application_})->items.empty());
  EXPECT_EQ(store->tally(endpoint_).value(), EndpointTally{.live_fresh = 1});
  EXPECT_TRUE(store->attempts_of_endpoint(endpoint_, {}, {})->items.empty());
  EXPECT_EQ(*store->payload(all[2].message.id).value(), *all[2].payload);
  EXPECT_EQ(store->deliveries_of_message(all[2].message.id).value(), all[2].deliveries);
  EXPECT_EQ(load_due(*store, {.endpoint = endpoint_})->deliveries, all[2].deliveries);
  EXPECT_EQ(store->count()->deliveries_live, 1U);
}

TEST_F(RocksStoreTest, AnExpiredPayloadLeavesTheDiskAndItsMessageStays) {
  const auto store = open();
  Acceptance given = make_.acceptance(application_, {endpoint_});
  given.payload = std::make_shared<const std::string>(100'000, 'x');
  given.message.payload_expires_at = kNoon + std::chrono::hours(1);
  ASSERT_TRUE(accept(*store, {given}).ok());
  const auto stored = [&] {
    const auto database = Database::open(settings_, clock_);
    rocksdb::PinnableSlice value;
    const Key key = Key().id(given.message.id);
    EXPECT_TRUE((*database)->get(Family::Payload, key.slice(), value).value());
    return value.size();
  };
  ASSERT_TRUE(settle(*store, {make_.delivered(given.deliveries[0])}).ok());
  clock_.pass(std::chrono::hours(1));
  ASSERT_TRUE(purge_all(*store, std::chrono::days(90)).ok());

  EXPECT_EQ(store->deliveries_of_message(given.message.id)->size(), 1U);
  store->close();
  EXPECT_LT(stored(), 100U);
}

TEST_F(RocksStoreTest, TokensAndAnswersLeaveTheDiskOnceTheyHaveExpired) {
  const auto store = open();
  const WallTime soon = kNoon + std::chrono::hours(1);
  const KeptAnswer answer{.key = "key", .body_hash = "hash", .expires_at = soon, .status = 201};
  ASSERT_TRUE(
      change(*store, ChangeSet{.changes = {RevokeToken{"token", soon}}, .answer = answer}).ok());
  const auto keys = [&](Family family) {
    return store->sizes()->at(static_cast<std::size_t>(family)).keys;
  };
  ASSERT_TRUE(store->compact().ok());
  EXPECT_EQ(keys(Family::Revoked) + keys(Family::Idempotency), 2U);

  clock_.pass(std::chrono::hours(1));
  ASSERT_TRUE(store->compact().ok());

  EXPECT_EQ(keys(Family::Revoked) + keys(Family::Idempotency), 0U);
}

TEST_F(RocksStoreTest, WhatWasDeletedLongAgoIsForgottenUnlessSomethingOfItIsLive) {
  const model::Application idle = make_.application();
  const model::Application busy = make_.application();
  const model::Endpoint of_idle = make_.endpoint(idle.id);
  const model::Endpoint of_busy = make_.endpoint(busy.id);
  const model::Endpoint beside = make_.endpoint(busy.id);
  const auto endpoints = [&] {
    std::vector<EndpointId> ids;
    const auto stored = open()->all_endpoints();
    for (const model::Endpoint& endpoint : *stored) ids.push_back(endpoint.id);
    return ids;
  };
  {
    const auto store = open();
    ASSERT_TRUE(
        change(*store, ChangeSet{.changes = {CreateApplication{idle}, CreateApplication{busy},
                                             CreateEndpoint{of_idle}, CreateEndpoint{of_busy},
                                             CreateEndpoint{beside}}})
            .ok());
    ASSERT_TRUE(accept(*store, {make_.acceptance(busy.id, {of_busy.id})}).ok());
    ASSERT_TRUE(change(*store, ChangeSet{.changes = {DeleteApplication{idle.id, kNoon},
                                                     DeleteApplication{busy.id, kNoon}}})
                    .ok());
  }
  clock_.pass(settings_.retention);
  EXPECT_EQ(endpoints(), (std::vector{of_idle.id, of_busy.id, beside.id}));

  clock_.pass(std::chrono::seconds(1));

  EXPECT_EQ(endpoints(), std::vector{of_busy.id});
  const auto applications = open()->all_applications();
  ASSERT_EQ(applications->size(), 1U);
  EXPECT_EQ(applications->at(0).id, busy.id);
}

TEST_F(RocksStoreTest, WhatDoesNotFitIntoTheQueueIsUnavailableAtOnce) {
  settings_.queue_items_max = 1;
  const auto store = open();
  std::promise<void> is_held;
  std::promise<void> release;
  store->change({.changes = {CreateApplication{make_.application()}}},
                [&](const Status& /*status*/) {
                  is_held.set_value();
                  release.get_future().wait();
                });
  is_held.get_future().wait();

  std::promise<Status> waiting;
  store->change({.changes = {CreateApplication{make_.application()}}},
                [&](Status status) { waiting.set_value(std::move(status)); });
  const Status refused = create(*store, make_.application());
  release.set_value();

  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Unavailable);
  EXPECT_TRUE(waiting.get_future().get().ok());
}

TEST_F(RocksStoreTest, ClosingWritesWhatIsWaiting) {
  const auto store = open();
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 100; ++i) {
    auto promise = std::make_shared<std::promise<bool>>();
    answers.push_back(promise->get_future());
    store->accept({make_.acceptance(application_, {endpoint_})},
                  [promise](const auto& answer) { promise->set_value(answer.ok()); });
  }
  store->close();

  for (std::future<bool>& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(open()->count()->messages, 100U);
}

TEST_F(RocksStoreTest, AfterItIsClosedEverythingIsUnavailable) {
  const auto store = open();
  store->close();
  store->close();

  EXPECT_EQ(accept(*store, {}).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(load_due(*store, {.endpoint = endpoint_}).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(store->count().error().kind, ErrorKind::Unavailable);
}

TEST_F(RocksStoreTest, AListThatFindsNothingForLongSaysWhereToGoOnAndGetsThere) {
  const auto store = open();
  std::optional<AttemptId> failed;  // The oldest of all.
  for (int batch = 0; batch < 25; ++batch) {
    std::vector<Acceptance> acceptances;
    std::vector<model::Settlement> settlements;
    for (int i = 0; i < 1000; ++i) {
      acceptances.push_back(make_.acceptance(application_, {endpoint_}));
      const model::Delivery& delivery = acceptances.back().deliveries[0];
      settlements.push_back(failed ? make_.delivered(delivery) : make_.dead(delivery));
      if (!failed) failed = settlements.back().attempt->id;
    }
    ASSERT_TRUE(accept(*store, std::move(acceptances)).ok());
    ASSERT_TRUE(settle(*store, std::move(settlements)).ok());
  }

  Page page{.order = Order::Descending};
  std::vector<AttemptId> found;
  int pages = 0;
  for (bool has_more = true; has_more && pages < 10; ++pages) {
    const auto listed = store->attempts_of_endpoint(endpoint_, {.is_success = false}, page);
    ASSERT_TRUE(listed.ok());
    for (const model::Attempt& attempt : listed->items) found.push_back(attempt.id);
    has_more = listed->has_more;
    if (has_more) page.after = listed->looked_until.value();
  }

  EXPECT_EQ(pages, 3);
  EXPECT_EQ(found, std::vector{*failed});
}

TEST_F(RocksStoreTest, WhatIsAskedForByItsKeyIsFoundWithoutReadingAFilesWholeFilter) {
  settings_.cache_bytes = std::size_t{32} << 10U;  // Less than the filter has, as with millions.
  const auto store = open();
  std::vector<model::DeliveryKey> keys;
  for (int batch = 0; batch < 40; ++batch) {
    std::vector<Acceptance> acceptances;
    for (int i = 0; i < 1000; ++i) {
      acceptances.push_back(make_.acceptance(application_, {endpoint_}));
      keys.push_back(acceptances.back().deliveries[0].key);
    }
    ASSERT_TRUE(accept(*store, std::move(acceptances)).ok());
  }
  ASSERT_TRUE(store->compact().ok());

  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(store->delivery(keys[i]).ok());
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);

  const std::uint64_t read = rocksdb::get_perf_context()->block_read_byte;
  EXPECT_GT(read, 0U);
  EXPECT_LT(read, std::uint64_t{100} << 14U);  // A filter has 50,000 bytes.
}

TEST_F(RocksStoreTest, SaysHowLargeItsFamiliesAre) {
  const auto store = open();
  ASSERT_TRUE(accept(*store, {make_.acceptance(application_, {endpoint_})}).ok());

  const auto sizes = store->sizes();

  ASSERT_EQ(sizes->size(), kFamilyNames.size());
  EXPECT_EQ(sizes->at(static_cast<std::size_t>(Family::Message)).name, "message");
  EXPECT_EQ(sizes->at(static_cast<std::size_t>(Family::Message)).keys, 1U);
}

TEST_F(RocksStoreTest, ARetentionOfNothingIsRefused) {
  settings_.retention = Duration(0);
  EXPECT_EQ(refusal(), "retention: must be an hour at least");
}

}  // namespace
}  // namespace petrel::store
