// DamagedStore is a store in a folder of its own that tests fill, close and damage, file by file or
// record by record.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/verification.h"

namespace petrel::store {

class DamagedStoreTest : public testing::Test {
 protected:
  DamagedStoreTest() {
    settings_.path = folder_.at("store");
    settings_.vault = test_vault();
    // Small, so that there are several tables and logs.
    settings_.write_buffer_bytes = std::size_t{256} << 10U;
  }

  std::unique_ptr<RocksStore> open() { return open_rocks(settings_, clock_); }

  // What opening it says; the error is Corrupt.
  Error refusal() {
    const auto opened = RocksStore::open(settings_, clock_);
    if (opened.ok()) {
      ADD_FAILURE() << "it opened";
      return {};
    }
    EXPECT_EQ(opened.error().kind, ErrorKind::Corrupt) << opened.error().text();
    return opened.error();
  }

  std::vector<Acceptance> fill(RocksStore& store, int count) {
    std::vector<Acceptance> all;
    for (int i = 0; i < count; ++i) {
      Acceptance one = make_.acceptance(application_, {endpoint_});
      // Does not compress.
      std::string bytes;
      while (bytes.size() < 4000) bytes += make_.ksuid().text();
      one.payload = std::make_shared<const std::string>(std::move(bytes));
      all.push_back(one);
      EXPECT_TRUE(accept(store, {one}).ok());
    }
    return all;
  }

  // Oldest first.
  std::vector<std::filesystem::path> files(const std::string& ending) const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(settings_.path)) {
      if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  static void cut(const std::filesystem::path& file) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  }

  static void flip(const std::filesystem::path& file, std::uintmax_t at) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const char was = static_cast<char>(bytes.get());
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(~was));
  }

  // The tables of a family.
  std::vector<std::filesystem::path> tables_of(Family family) {
    const auto database = Database::open(settings_, clock_);
    std::vector<rocksdb::LiveFileMetaData> all;
    (*database)->db().GetLiveFilesMetaData(&all);
    std::vector<std::filesystem::path> found;
    for (const auto& file : all) {
      if (file.column_family_name == kFamilyNames[static_cast<std::size_t>(family)]) {
        found.emplace_back(settings_.path + file.name);
      }
    }
    return found;
  }

  // Puts bytes in the place of a record, or nothing.
  void replace(Family family, const rocksdb::Slice& key, const std::string* bytes) {
    const auto database = Database::open(settings_, clock_);
    ASSERT_TRUE(database.ok());
    rocksdb::WriteBatch batch;
    if (bytes != nullptr) {
      ASSERT_TRUE(batch.Put((*database)->family(family), key, *bytes).ok());
    } else {
      ASSERT_TRUE(batch.Delete((*database)->family(family), key).ok());
    }
    ASSERT_TRUE((*database)->write(batch).ok());
  }

  void break_record(Family family, const rocksdb::Slice& key) {
    const std::string rubbish = "\xEErubbish";
    replace(family, key, &rubbish);
  }

  void remove_record(Family family, const rocksdb::Slice& key) { replace(family, key, nullptr); }

  struct Findings {
    Verification totals;
    std::vector<StoreDamage> damage;

    std::vector<std::string> names() const {
      std::vector<std::string> names;
      for (const StoreDamage& each : damage) names.push_back(each.name);
      return names;
    }
  };

  Findings verify_all() {
    Findings findings;
    const auto done = verify(settings_, clock_,
                             [&](const StoreDamage& damage) { findings.damage.push_back(damage); });
    EXPECT_TRUE(done.ok()) << done.error().text();
    if (done.ok()) findings.totals = *done;
    return findings;
  }

  StillClock clock_;
  ScratchFolder folder_;
  RocksSettings settings_;
  Maker make_;
  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

}  // namespace petrel::store
