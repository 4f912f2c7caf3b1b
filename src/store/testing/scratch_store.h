// ScratchStoreTest is a store in a folder of its own, on a clock that the test moves: tests fill
// it, close it and do to its families and files what a disk or a compaction would.
//
// Thread: confined.

#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/verification.h"

namespace petrel::store {

// Stands still until it is moved; the wall clock can be set as well.
class ScratchClock final : public Clock {
 public:
  static constexpr WallTime kNoon = wall_from_unix_seconds(1'750'000'000);

  WallTime wall() const override { return kNoon + passed_.load() + step_.load(); }
  MonoTime mono() const override { return MonoTime(passed_.load()); }

  void pass(Duration time) { passed_ = passed_.load() + time; }
  void set_wall_by(Duration step) { step_ = step_.load() + step; }

 private:
  std::atomic<Duration> passed_{Duration(0)};
  std::atomic<Duration> step_{Duration(0)};
};

// Waits for the answer that `call` hands to its callback.
template <typename Answer, typename Call>
Answer answer_to(Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  call([promise](Answer answer) { promise->set_value(std::move(answer)); });
  return future.get();
}

class ScratchStoreTest : public testing::Test {
 protected:
  ScratchStoreTest() {
    static std::atomic<int> number = 0;
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("petrel-scratch-" + std::to_string(getpid()) + "-" + std::to_string(++number));
    settings_.path = (folder_ / "store").string();
    settings_.vault =
        std::make_shared<const vault::Vault>(std::vector<std::string>{"the secret of the tests"});
    // Tables change only when a test says so.
    settings_.is_compacting = false;
  }

  ~ScratchStoreTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::unique_ptr<RocksStore> open() {
    Result<std::unique_ptr<RocksStore>> opened = RocksStore::open(settings_, clock_);
    if (opened.ok()) return *std::move(opened);
    ADD_FAILURE() << opened.error().text();
    return nullptr;
  }

  std::unique_ptr<Database> open_database() {
    Result<std::unique_ptr<Database>> opened = Database::open(settings_, clock_);
    if (opened.ok()) return *std::move(opened);
    ADD_FAILURE() << opened.error().text();
    return nullptr;
  }

  Ksuid ksuid() { return maker_.make(clock_.wall()); }

  Acceptance acceptance(EndpointId endpoint) {
    Acceptance made;
    made.message.id = MessageId(ksuid());
    made.message.application = application_;
    made.message.event_type = "invoice.paid";
    made.message.endpoints = {endpoint};
    made.message.accepted_at = clock_.wall();
    made.payload = std::make_shared<const std::string>("{}");
    model::Delivery delivery;
    delivery.key = {endpoint, made.message.id};
    delivery.application = application_;
    delivery.due_at = delivery.updated_at = clock_.wall();
    made.deliveries.push_back(delivery);
    return made;
  }

  // So many messages for the test's endpoint.
  std::vector<Acceptance> fill(RocksStore& store, int count) {
    std::vector<Acceptance> all;
    for (int i = 0; i < count; ++i) all.push_back(acceptance(endpoint_));
    const auto accepted = answer_to<Result<std::vector<Accepted>>>(
        [&](auto done) { store.accept(all, std::move(done)); });
    EXPECT_TRUE(accepted.ok()) << accepted.error().text();
    return all;
  }

  // What an attempt that ended so makes of a delivery.
  model::Settlement after_attempt(const model::Delivery& before, model::DeliveryState state,
                                  policy::Outcome outcome) {
    model::Settlement made = model::settlement_from(before);
    made.delivery.state = state;
    if (state == model::DeliveryState::Dead) {
      made.delivery.reason = policy::DeadReason::Exhausted;
    }
    made.delivery.attempts_total += 1;
    made.attempt.emplace();
    made.attempt->id = AttemptId(ksuid());
    made.attempt->delivery = before.key;
    made.attempt->application = before.application;
    made.attempt->number = made.delivery.attempts_total;
    made.attempt->outcome = outcome;
    made.attempt->started_at = made.attempt->ended_at = clock_.wall();
    return made;
  }

  void settle(RocksStore& store, const std::vector<model::Settlement>& batch) {
    const auto settled = answer_to<Result<std::vector<Settled>>>(
        [&](auto done) { store.settle(batch, std::move(done)); });
    EXPECT_TRUE(settled.ok()) << settled.error().text();
  }

  Status change(RocksStore& store, std::vector<Change> changes) {
    ChangeSet set;
    set.changes = std::move(changes);
    return answer_to<Status>([&](auto done) { store.change(std::move(set), std::move(done)); });
  }

  // Merges this family's files alone, as background work may do at any time.
  void compact(Family family) {
    const auto database = open_database();
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    const rocksdb::Status merged =
        database->db().CompactRange(options, database->family(family), nullptr, nullptr);
    EXPECT_TRUE(merged.ok()) << merged.ToString();
  }

  static std::filesystem::path table_of(Database& database, Family family) {
    std::vector<rocksdb::LiveFileMetaData> all;
    database.db().GetLiveFilesMetaData(&all);
    std::vector<std::filesystem::path> found;
    for (const rocksdb::LiveFileMetaData& file : all) {
      if (file.column_family_name == kFamilyNames[static_cast<std::size_t>(family)]) {
        found.emplace_back(file.db_path + file.name);
      }
    }
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? std::filesystem::path() : found.front();
  }

  // Changes a byte in the middle of it.
  static void flip(const std::filesystem::path& table) {
    std::fstream bytes(table, std::ios::in | std::ios::out | std::ios::binary);
    const auto place = static_cast<std::streamoff>(std::filesystem::file_size(table) / 2);
    bytes.seekg(place);
    const char was = static_cast<char>(bytes.get());
    bytes.seekp(place);
    bytes.put(static_cast<char>(~was));
  }

  // Brings all of a family into one table, damages a block of it, and says the table's name.
  std::string damage_block_of(Family family) {
    compact(family);
    const std::filesystem::path table = table_of(*open_database(), family);
    flip(table);
    return table.filename().string();
  }

  void put(Family family, const rocksdb::Slice& key, const std::string& value) {
    const auto database = open_database();
    rocksdb::WriteBatch batch;
    EXPECT_TRUE(batch.Put(database->family(family), key, value).ok());
    EXPECT_TRUE(database->write(batch).ok());
  }

  void remove(Family family, const rocksdb::Slice& key) {
    const auto database = open_database();
    rocksdb::WriteBatch batch;
    EXPECT_TRUE(batch.Delete(database->family(family), key).ok());
    EXPECT_TRUE(database->write(batch).ok());
  }

  void break_record(Family family, const rocksdb::Slice& key) { put(family, key, "\xEErubbish"); }

  // The names of what `inspect --verify` finds.
  std::vector<std::string> findings() {
    std::vector<std::string> names;
    const auto done = verify(settings_, clock_, [&](const StoreDamage& damage) {
      names.push_back(damage.name + ": " + damage.what);
    });
    EXPECT_TRUE(done.ok());
    return names;
  }

  ScratchClock clock_;
  std::filesystem::path folder_;
  RocksSettings settings_;
  SeededSecureRandom random_{1};
  KsuidMaker maker_{random_};
  ApplicationId application_{maker_.make(ScratchClock::kNoon)};
  EndpointId endpoint_{maker_.make(ScratchClock::kNoon)};
};

}  // namespace petrel::store
