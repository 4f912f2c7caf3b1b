#include "app/machine_memory.h"

#include <map>

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

constexpr std::uint64_t kMachineBytes = 24'690'300ULL * 1024;

class MachineMemoryTest : public testing::Test {
 protected:
  MachineMemory read() const {
    return machine_memory([this](const std::string& path) -> std::optional<std::string> {
      const auto found = files_.find(path);
      if (found == files_.end()) return std::nullopt;
      return found->second;
    });
  }

  std::map<std::string, std::string> files_ = {
      {"/proc/meminfo",
       "MemTotal:       24690300 kB\nMemFree:        22118744 kB\nMemAvailable:   23 kB\n"}};
};

TEST_F(MachineMemoryTest, IsTheMachinesWithoutAGroup) {
  EXPECT_EQ(read().bytes, kMachineBytes);
  EXPECT_EQ(read().from, "/proc/meminfo");
}

TEST_F(MachineMemoryTest, IsTheLimitOfAGroupOfVersion2) {
  files_["/proc/self/cgroup"] = "0::/system.slice/petrel.service\n";
  files_["/sys/fs/cgroup/system.slice/petrel.service/memory.max"] = "536870912\n";
  files_["/sys/fs/cgroup/system.slice/memory.max"] = "max\n";
  EXPECT_EQ(read().bytes, 536'870'912U);
  EXPECT_EQ(read().from, "/sys/fs/cgroup/system.slice/petrel.service/memory.max");
}

TEST_F(MachineMemoryTest, IsTheLeastOfAllGroupsAbove) {
  files_["/proc/self/cgroup"] = "0::/a/b/c\n";
  files_["/sys/fs/cgroup/a/b/c/memory.max"] = "900000000\n";
  files_["/sys/fs/cgroup/a/b/memory.max"] = "max\n";
  files_["/sys/fs/cgroup/a/memory.max"] = "400000000\n";
  EXPECT_EQ(read().bytes, 400'000'000U);
}

TEST_F(MachineMemoryTest, IsTheLimitOfAContainerThatSeesItsGroupAsTheRoot) {
  files_["/proc/self/cgroup"] = "0::/\n";
  files_["/sys/fs/cgroup/memory.max"] = "268435456\n";
  EXPECT_EQ(read().bytes, 268'435'456U);
}

TEST_F(MachineMemoryTest, IsTheLimitOfAGroupOfVersion1) {
  files_["/proc/self/cgroup"] = "9:name=systemd:/\n4:cpu,memory:/docker/2f1c\n1:cpu:/\n0::/\n";
  // The host's path is not there in a container: its own group is the root.
  files_["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "1073741824\n";
  EXPECT_EQ(read().bytes, 1'073'741'824U);
  EXPECT_EQ(read().from, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
}

TEST_F(MachineMemoryTest, ALimitBeyondTheMachineIsNone) {
  files_["/proc/self/cgroup"] = "4:memory:/\n";
  files_["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  EXPECT_EQ(read().bytes, kMachineBytes);
}

TEST_F(MachineMemoryTest, WhatMakesNoSenseIsPassedOver) {
  files_["/proc/self/cgroup"] = "\n::\nx\n0::\n4:memory\n4:memory:nonsense\n";
  files_["/sys/fs/cgroup/memory.max"] = "-5\n";
  EXPECT_EQ(read().bytes, kMachineBytes);
  files_["/proc/meminfo"] = "MemTotal: lots\n";
  EXPECT_EQ(read().bytes, std::uint64_t{1} << 30U);
  EXPECT_EQ(read().from, "nowhere");
  files_.clear();
  EXPECT_EQ(read().bytes, std::uint64_t{1} << 30U);
}

TEST_F(MachineMemoryTest, OfThisMachineIsSomething) { EXPECT_GT(machine_memory().bytes, 0U); }

}  // namespace
}  // namespace petrel::app
