#include "app/folder_copy.h"

#include <fstream>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

namespace fs = std::filesystem;

class FolderCopyTest : public testing::Test {
 protected:
  FolderCopyTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "from" / "below");
    write("from/a", std::string(3 * 1024 * 1024 + 1, 'a'));
    write("from/b", "b");
    write("from/below/c", "c");
    write("secret", "s");
  }
  ~FolderCopyTest() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }

  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) /
      (std::string("petrel-copy-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path to_ = root_ / "to";
  const FolderCopy::Progress silent_ = [](std::uint64_t, std::uint64_t) {};
};

TEST_F(FolderCopyTest, IsNotThereBeforeItIsWhole) {
  Result<FolderCopy> copy = FolderCopy::begin(to_);
  ASSERT_TRUE(copy.ok());
  std::vector<std::uint64_t> steps;
  std::uint64_t of = 0;
  ASSERT_TRUE(copy->add_folder(root_ / "from",
                               [&](std::uint64_t done, std::uint64_t total) {
                                 steps.push_back(done);
                                 of = total;
                               })
                  .ok());
  ASSERT_TRUE(copy->add_file(root_ / "secret").ok());
  EXPECT_FALSE(fs::exists(to_));

  const Result<FolderCopy::Report> report = copy->finish();

  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->files, 3U);
  EXPECT_EQ(report->bytes, 3U * 1024 * 1024 + 3);
  EXPECT_EQ(steps.size(), 5U);  // Four blocks of one file, one of the other.
  EXPECT_EQ(steps.back(), of);
  EXPECT_EQ(read(to_ / "a"), read(root_ / "from" / "a"));
  EXPECT_EQ(read(to_ / "secret"), "s");
  EXPECT_FALSE(fs::exists(to_ / "below"));
  EXPECT_FALSE(fs::exists(root_ / "to.partial"));
}

TEST_F(FolderCopyTest, SharesNoFileWithWhatItCopiedAndIsForItsOwnerAlone) {
  Result<FolderCopy> copy = FolderCopy::begin(to_);
  ASSERT_TRUE(copy->add_folder(root_ / "from", silent_).ok());
  ASSERT_TRUE(copy->finish().ok());
  EXPECT_EQ(fs::hard_link_count(to_ / "a"), 1U);
  struct stat found {};
  ASSERT_EQ(::stat((to_ / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(FolderCopyTest, OneThatIsGivenUpLeavesNothing) {
  {
    Result<FolderCopy> copy = FolderCopy::begin(to_);
    ASSERT_TRUE(copy->add_folder(root_ / "from", silent_).ok());
    EXPECT_TRUE(fs::exists(root_ / "to.partial"));
  }
  EXPECT_FALSE(fs::exists(root_ / "to.partial"));
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(FolderCopyTest, WritesOverNothing) {
  fs::create_directories(to_);
  EXPECT_EQ(FolderCopy::begin(to_).error().kind, ErrorKind::Conflict);
}

TEST_F(FolderCopyTest, WhatAnEarlierOneLeftIsReplaced) {
  fs::create_directories(root_ / "to.partial");
  write("to.partial/old", "old");
  Result<FolderCopy> copy = FolderCopy::begin(to_);
  ASSERT_TRUE(copy->add_folder(root_ / "from", silent_).ok());
  ASSERT_TRUE(copy->finish().ok());
  EXPECT_FALSE(fs::exists(to_ / "old"));
}

TEST_F(FolderCopyTest, AFolderThatCannotBeReadIsNamed) {
  Result<FolderCopy> copy = FolderCopy::begin(to_);
  const Status status = copy->add_folder(root_ / "nowhere", silent_);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().text().find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace petrel::app
