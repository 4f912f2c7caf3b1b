#include "app/memory_shares.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::uint64_t kMachine = std::uint64_t{8} << 30U;

std::string error_of(const Settings& settings, std::uint64_t machine = kMachine) {
  const auto shares = divide_memory(settings, machine);
  return shares.ok() ? "" : shares.error().text();
}

TEST(MemoryShares, AreOfHalfTheMachineUnlessSaidOtherwise) {
  const MemoryShares shares = *divide_memory({}, kMachine);
  EXPECT_EQ(shares.max, 4096 * kMiB);
  EXPECT_EQ(shares.cache, 64 * kMiB);
  EXPECT_EQ(shares.write_buffers, 64 * kMiB);
  EXPECT_EQ(shares.reserve, 512 * kMiB);
  EXPECT_EQ(shares.in_flight, 3456 * kMiB);
}

TEST(MemoryShares, AddUpToTheWhole) {
  for (const std::size_t max : {128, 192, 256, 1000, 1024, 100'000}) {
    Settings settings;
    settings.memory_max = max * kMiB;
    const auto shares = divide_memory(settings, kMachine);
    ASSERT_TRUE(shares.ok()) << max << ": " << shares.error().text();
    EXPECT_EQ(shares->max, max * kMiB);
    EXPECT_EQ(shares->cache + shares->write_buffers + shares->reserve + shares->in_flight,
              shares->max);
  }
}

TEST(MemoryShares, OfLittleMemoryTheStoreTakesLess) {
  Settings settings;
  settings.memory_max = 192 * kMiB;
  const MemoryShares shares = *divide_memory(settings, kMachine);
  EXPECT_EQ(shares.cache, 24 * kMiB);
  EXPECT_EQ(shares.write_buffers, 24 * kMiB);
  EXPECT_EQ(shares.in_flight, 96 * kMiB);
}

TEST(MemoryShares, WhatIsSetForTheStoreHolds) {
  Settings settings;
  settings.memory_max = 1024 * kMiB;
  settings.block_cache_mib = 100;
  settings.write_buffer_mib = 30;
  EXPECT_EQ(divide_memory(settings, kMachine)->cache, 100 * kMiB);
  EXPECT_EQ(divide_memory(settings, kMachine)->write_buffers, 30 * kMiB);
}

TEST(MemoryShares, WhatDoesNotFitTogetherIsRefused) {
  Settings settings;
  settings.memory_max = 256 * kMiB;
  settings.block_cache_mib = 100;
  settings.write_buffer_mib = 30;
  EXPECT_EQ(error_of(settings),
            "memory-max: 256MiB is less than twice what block-cache-mib and write-buffer-mib set "
            "aside for the store");
  settings = {};
  settings.memory_max = 256 * kMiB;
  settings.payload_bytes_max = 64 * kMiB;
  EXPECT_EQ(error_of(settings),
            "memory-max: 256MiB leaves 128MiB for what is in flight, and messages of "
            "payload-bytes-max need 512MiB of it");
}

TEST(MemoryShares, OfATinyMachineAreOf256MiB) {
  EXPECT_EQ(divide_memory({}, 100 * kMiB)->max, 256 * kMiB);
}

}  // namespace
}  // namespace petrel::app
