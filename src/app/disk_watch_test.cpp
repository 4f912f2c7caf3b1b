#include "app/disk_watch.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

TEST(DiskLevel, IsScarceFromNineTenthsAndFullFromAllOfIt) {
  EXPECT_EQ(level_of(899, 1000), DiskLevel::Fine);
  EXPECT_EQ(level_of(900, 1000), DiskLevel::Scarce);
  EXPECT_EQ(level_of(999, 1000), DiskLevel::Scarce);
  EXPECT_EQ(level_of(1000, 1000), DiskLevel::Full);
  EXPECT_EQ(level_of(1000, 0), DiskLevel::Fine);
}

TEST(DiskLevel, CountsAllFilesOfAFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "petrel-disk-watch";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "below");
  std::ofstream(folder / "one") << std::string(100, 'x');
  std::ofstream(folder / "below" / "two.sst") << std::string(23, 'x');
  std::ofstream(folder / "three.log") << std::string(4, 'x');
  const DiskUse use = disk_use(folder.string());
  EXPECT_EQ(use.store_bytes(), 127U);
  EXPECT_EQ(use.table_bytes, 23U);
  EXPECT_EQ(use.log_bytes, 4U);
  EXPECT_GT(use.free_bytes, 0U);
  EXPECT_EQ(disk_use((folder / "nowhere").string()).store_bytes(), 0U);
  std::filesystem::remove_all(folder);
}

class DiskWatchTest : public testing::Test, private BlockingPool {
 protected:
  void takes(std::uint64_t bytes) {
    bytes_ = bytes;
    loop_.run_for(clock_, DiskWatch::kLookEvery);
  }
  std::string metrics() const { return registry_.text(); }

  HandClock clock_{wall_from_unix_seconds(1'750'000'000), MonoTime()};
  HandLoop loop_{clock_};
  metric::Registry registry_;
  std::uint64_t bytes_ = 0;
  std::vector<std::string> complaints_;
  DiskWatch watch_{{.loop = loop_,
                    .clock = clock_,
                    .pool = *this,
                    .registry = registry_,
                    .bytes_max = 1000,
                    .measure = [this] { return DiskUse{.table_bytes = bytes_, .free_bytes = 7}; },
                    .complain = [this](const std::string& what) { complaints_.push_back(what); }}};

 private:
  bool run(Function<void()> work) override { return work(), true; }
};

TEST_F(DiskWatchTest, WarnsOnceAndStillTakesMessages) {
  takes(899);
  EXPECT_TRUE(watch_.problems().empty() && complaints_.empty());
  takes(900);
  takes(950);
  ASSERT_EQ(complaints_.size(), 1U);
  EXPECT_NE(complaints_[0].find("900 B of disk-max, 1 KB"), std::string::npos) << complaints_[0];
  EXPECT_EQ(watch_.problems().size(), 1U);
  EXPECT_TRUE(watch_.may_accept().ok());
}

TEST_F(DiskWatchTest, TakesNoMessagesWhileItIsFullAndGoesOnByItself) {
  takes(1000);
  ASSERT_FALSE(watch_.may_accept().ok());
  EXPECT_EQ(watch_.may_accept().error().kind, ErrorKind::Unavailable);
  EXPECT_NE(metrics().find("petrel_disk_full 1"), std::string::npos);
  EXPECT_NE(metrics().find("petrel_store_bytes 1000"), std::string::npos);
  EXPECT_NE(metrics().find("petrel_store_files_bytes{kind=\"tables\"} 1000"), std::string::npos);
  EXPECT_NE(metrics().find("petrel_disk_free_bytes 7"), std::string::npos);

  takes(950);
  EXPECT_TRUE(watch_.may_accept().ok());
  EXPECT_NE(metrics().find("petrel_disk_full 0"), std::string::npos);
  EXPECT_EQ(watch_.problems().size(), 1U);

  takes(10);
  EXPECT_TRUE(watch_.problems().empty());
  EXPECT_EQ(complaints_.size(), 3U);
}

// A backup that is being made has the store's own files in it.
TEST(DiskUseTest, CountsAFileWithTwoNamesOnce) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("bytes-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "backup.staging");
  std::ofstream(folder / "1.sst") << std::string(1000, 'x');
  std::ofstream(folder / "2.sst") << std::string(10, 'x');
  std::filesystem::create_hard_link(folder / "1.sst", folder / "backup.staging" / "1.sst");
  EXPECT_EQ(disk_use(folder).store_bytes(), 1010U);
  std::filesystem::remove(folder / "1.sst");
  EXPECT_EQ(disk_use(folder).store_bytes(), 1010U);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(disk_use(folder).store_bytes(), 0U);
}

}  // namespace
}  // namespace petrel::app
