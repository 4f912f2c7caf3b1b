#include "base/secure_random.h"

#include <array>

#include <gtest/gtest.h>

namespace petrel {
namespace {

using Bytes = std::array<std::uint8_t, 32>;

Bytes drawn_from(SecureRandom& random) {
  Bytes bytes{};
  random.fill(bytes);
  return bytes;
}

TEST(SystemSecureRandom, NeverGivesTheSameBytesTwice) {
  SystemSecureRandom random;

  EXPECT_NE(drawn_from(random), drawn_from(random));
  EXPECT_NE(drawn_from(random), Bytes{});
}

TEST(SystemSecureRandom, FillsNothingAtAll) {
  SystemSecureRandom random;

  random.fill({});
}

TEST(SeededSecureRandom, GivesTheSameBytesForTheSameSeed) {
  SeededSecureRandom random(1);
  std::array<std::uint8_t, 8> bytes{};

  random.fill(bytes);

  EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{0xb3, 0x85, 0x92, 0x64, 0xb2, 0x24, 0x12, 0x61}));
}

TEST(SeededSecureRandom, GivesOtherBytesNextAndForAnotherSeed) {
  SeededSecureRandom one(1);
  SeededSecureRandom two(2);
  const Bytes first = drawn_from(one);

  EXPECT_NE(drawn_from(one), first);
  EXPECT_NE(drawn_from(two), first);
}

}  // namespace
}  // namespace petrel
