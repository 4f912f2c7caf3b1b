// What `petrel inspect --verify` finds, and what the commands that look at a store or copy it leave
// alone.

#include "damaged_store.h"
#include "store/rocksdb/backup.h"

namespace petrel::store {
namespace {

namespace fs = std::filesystem;

using VerificationTest = DamagedStoreTest;
using KeepingTest = DamagedStoreTest;

using Names = std::vector<std::string>;

std::string name_of(const model::Delivery& delivery) {
  return "delivery " + delivery.key.endpoint.text() + ' ' + delivery.key.message.text();
}

TEST_F(VerificationTest, AStoreThatIsWholeHasNoFindings) {
  {
    const auto store = open();
    const model::Application acme = make_.application("acme");
    ASSERT_TRUE(create(*store, acme).ok());
    ASSERT_TRUE(create(*store, make_.endpoint(acme.id)).ok());
    const std::vector<Acceptance> all = fill(*store, 100);
    ASSERT_TRUE(
        settle(*store, {make_.delivered(all[0].deliveries[0]), make_.dead(all[1].deliveries[0]),
                        make_.retrying(all[2].deliveries[0], kNoon + std::chrono::hours(1))})
            .ok());
    ASSERT_TRUE(store->compact().ok());
    fill(*store, 10);
  }
  const auto before = files("");

  const Findings findings = verify_all();

  EXPECT_EQ(findings.names(), Names{});
  EXPECT_GT(findings.totals.files, 0U);
  EXPECT_GT(findings.totals.records, 400U);
  EXPECT_EQ(files(""), before);
}

TEST_F(VerificationTest, NamesEveryDamagedTable) {
  {
    const auto store = open();
    fill(*store, 200);
    ASSERT_TRUE(store->compact().ok());
  }
  const fs::path payloads = tables_of(Family::Payload).front();
  const fs::path messages = tables_of(Family::Message).front();
  flip(payloads, fs::file_size(payloads) / 2);
  flip(messages, 100);

  const Names names = verify_all().names();

  for (const fs::path& table : {payloads, messages}) {
    EXPECT_NE(std::find(names.begin(), names.end(), table.filename().string()), names.end());
  }
}

TEST_F(VerificationTest, NamesALogThatIsMissingOrCut) {
  fill(*open(), 300);
  const auto logs = files(".log");
  ASSERT_GE(logs.size(), 2U);
  cut(logs.front());
  EXPECT_EQ(verify_all().names().at(0), logs.front().filename().string());
  fs::remove(logs.front());
  EXPECT_EQ(verify_all().names().at(0), logs.front().filename().string());
}

TEST_F(VerificationTest, NamesTheEndThatIsMissing) {
  fill(*open(), 10);
  cut(files(".log").back());

  EXPECT_EQ(verify_all().names().at(0), "the last log");
}

TEST_F(VerificationTest, NamesTheFilesThatAStoreBeginsWith) {
  fill(*open(), 10);
  for (const fs::path& each : files("")) {
    const std::string name = each.filename().string();
    if (!name.starts_with("MANIFEST-")) continue;
    flip(each, fs::file_size(each) / 2);
    EXPECT_EQ(verify_all().totals.damaged, 1U) << name;
    flip(each, fs::file_size(each) / 2);
  }
  EXPECT_EQ(verify_all().totals.damaged, 0U);
  std::ofstream(settings_.path + "/CURRENT", std::ios::trunc) << "MANIFEST-999999\n";
  EXPECT_EQ(verify_all().totals.damaged, 1U);
  fs::remove(settings_.path + "/CURRENT");
  EXPECT_EQ(verify_all().names(), Names{"CURRENT"});
}

TEST_F(VerificationTest, NamesRecordsThatCannotBeRead) {
  const std::vector<Acceptance> all = fill(*open(), 5);
  break_record(Family::Delivery, delivery_key(all[0].deliveries[0].key).slice());
  break_record(Family::Message, message_key(application_, all[1].message.id).slice());
  break_record(Family::Payload, Key().id(all[2].message.id).slice());

  EXPECT_EQ(verify_all().names(),
            (Names{"message " + all[1].message.id.text(), "payload " + all[2].message.id.text(),
                   name_of(all[0].deliveries[0])}));
}

TEST_F(VerificationTest, NamesRecordsThatDoNotAgree) {
  const std::vector<Acceptance> all = fill(*open(), 5);
  const auto due_of = [&](const Acceptance& one) {
    return due_key(endpoint_, DueClass::Fresh, {one.deliveries[0].due_at, one.message.id});
  };
  remove_record(Family::Due, due_of(all[0]).slice());
  remove_record(Family::Payload, Key().id(all[1].message.id).slice());
  remove_record(Family::Message, message_key(application_, all[2].message.id).slice());
  remove_record(Family::Delivery, delivery_key(all[3].deliveries[0].key).slice());

  Names expected;
  for (int i = 0; i < 4; ++i) {
    expected.push_back(name_of(all[static_cast<std::size_t>(i)].deliveries[0]));
  }
  EXPECT_EQ(verify_all().names(), expected);
}

TEST_F(KeepingTest, ALookAtAStoreDropsNothingHoweverOld) {
  std::vector<Acceptance> all;
  {
    const auto store = open();
    all = fill(*store, 3);
    ASSERT_TRUE(
        settle(*store, {make_.delivered(all[0].deliveries[0]), make_.dead(all[1].deliveries[0])})
            .ok());
  }
  clock_.pass(std::chrono::days(365));
  settings_.keeps_everything = true;
  const auto store = open();

  ASSERT_TRUE(store->compact().ok());

  EXPECT_EQ(store->count()->messages, 3U);
  EXPECT_EQ(store->count()->deliveries_delivered, 1U);
  EXPECT_EQ(store->dead_letters({.application = application_})->items.size(), 1U);
  EXPECT_EQ(*store->payload(all[0].message.id).value(), *all[0].payload);
}

TEST_F(KeepingTest, ARestoredStoreHasEverythingHoweverOld) {
  settings_.keeps_everything = true;
  // As many tables as make RocksDB merge them when it opens.
  for (int round = 0; round < 8; ++round) {
    const auto store = open();
    const std::vector<Acceptance> all = fill(*store, 2);
    ASSERT_TRUE(
        settle(*store, {make_.delivered(all[0].deliveries[0]), make_.dead(all[1].deliveries[0])})
            .ok());
  }
  ASSERT_TRUE(open()->checkpoint(folder_.at("backup")).ok());
  clock_.pass(std::chrono::days(365));

  ASSERT_TRUE(restore(folder_.at("backup"), folder_.at("restored"), clock_).ok());

  settings_.path = folder_.at("restored");
  EXPECT_EQ(open()->count()->messages, 16U);
  EXPECT_EQ(open()->count()->attempts, 16U);
}

TEST_F(KeepingTest, ABackupOfAStoreWithSeveralLogsIsWhole) {
  const auto store = open();
  for (int round = 1; round <= 4; ++round) {
    fill(*store, 100);
    const std::string backup = folder_.at("backup" + std::to_string(round));
    const std::string restored = folder_.at("restored" + std::to_string(round));
    ASSERT_TRUE(store->checkpoint(backup).ok());

    ASSERT_TRUE(restore(backup, restored, clock_).ok());

    RocksSettings settings = settings_;
    settings.path = restored;
    EXPECT_EQ(open_rocks(settings, clock_)->count()->messages, 100U * round);
  }
}

TEST_F(KeepingTest, ABackupSaysWhatItIsAndIsNotMadeInTheStore) {
  const auto store = open();
  fill(*store, 10);
  ASSERT_TRUE(store->compact().ok());

  const auto report = store->checkpoint(folder_.at("backup"));

  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->files, 3U);
  EXPECT_GT(report->bytes, 40'000U);
  EXPECT_GT(report->links, 0U);
  for (const std::string& inside : {settings_.path + "/backup", settings_.path + "/../store/a"}) {
    EXPECT_EQ(store->checkpoint(inside).error().kind, ErrorKind::Invalid) << inside;
  }
}

}  // namespace
}  // namespace petrel::store
