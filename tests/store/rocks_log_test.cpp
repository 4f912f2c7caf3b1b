#include "store/rocksdb/rocks_log.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "harness.h"

namespace petrel::store {
namespace {

class RocksLogTest : public testing::Test {
 protected:
  RocksLogTest() { std::filesystem::create_directory(folder_.at("store")); }

  std::string path(std::string_view name) const {
    return folder_.at("store") + "/" + std::string(name);
  }

  static std::string content(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  ScratchFolder folder_;
  SystemClock clock_;
};

TEST_F(RocksLogTest, KeepsWarningsAndErrorsAndNothingElse) {
  const auto log = make_rocks_log({folder_.at("store")}, clock_);

  rocksdb::Header(log, "every setting");
  rocksdb::Info(log, "a flush has begun");
  rocksdb::Warn(log, "the sync of %d files failed", 3);
  rocksdb::Error(log, "and again");

  const std::string said = content(path("LOG"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
  EXPECT_NE(said.find("the sync of 3 files failed\n"), std::string::npos);
  EXPECT_NE(said.find("and again\n"), std::string::npos);
}

TEST_F(RocksLogTest, BeginsAnewWhenItIsFull) {
  const auto log = make_rocks_log({folder_.at("store"), 100}, clock_);

  for (int line = 1; line <= 20; ++line) rocksdb::Warn(log, "the line %d", line);

  EXPECT_LT(std::filesystem::file_size(path("LOG")), 200U);
  EXPECT_NE(content(path("LOG")).find("the line 20\n"), std::string::npos);
  EXPECT_LT(std::filesystem::file_size(path("LOG.old")), 200U);
}

TEST_F(RocksLogTest, ALineThatCannotBeWrittenIsLostAndTheNextOnesAreNot) {
  std::filesystem::create_symlink("/dev/full", path("LOG"));
  const auto log = make_rocks_log({folder_.at("store")}, clock_);
  for (int line = 1; line <= 3; ++line) rocksdb::Warn(log, "the disk is full");

  std::filesystem::remove(path("LOG"));
  rocksdb::Warn(log, "there is room");

  EXPECT_NE(content(path("LOG")).find("there is room\n"), std::string::npos);
}

}  // namespace
}  // namespace petrel::store
