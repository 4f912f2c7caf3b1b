#include "base/byte_text.h"

#include <gtest/gtest.h>

namespace petrel {
namespace {

std::string error_of(std::string_view text) {
  const Result<std::uint64_t> bytes = parse_bytes(text);
  return bytes.ok() ? "" : bytes.error().text();
}

TEST(ByteText, AUnitIsAThousandAndTwentyFourOfTheOneBefore) {
  EXPECT_EQ(*parse_bytes("0"), 0U);
  EXPECT_EQ(*parse_bytes("1000"), 1000U);
  EXPECT_EQ(*parse_bytes("1000B"), 1000U);
  EXPECT_EQ(*parse_bytes("3KiB"), 3072U);
  EXPECT_EQ(*parse_bytes("192MiB"), 201'326'592U);
  EXPECT_EQ(*parse_bytes("192M"), 201'326'592U);
  EXPECT_EQ(*parse_bytes("2GiB"), std::uint64_t{2} << 30U);
  EXPECT_EQ(*parse_bytes("1T"), std::uint64_t{1} << 40U);
  EXPECT_EQ(*parse_bytes("512 MiB"), std::uint64_t{512} << 20U);
}

TEST(ByteText, ADecimalUnitIsAThousandOfTheOneBefore) {
  EXPECT_EQ(*parse_bytes("7KB"), 7'000U);
  EXPECT_EQ(*parse_bytes("200GB"), 200'000'000'000U);
}

TEST(ByteText, ForPeopleItIsRoundedToThreeFigures) {
  EXPECT_EQ(to_rounded_byte_text(0), "0 B");
  EXPECT_EQ(to_rounded_byte_text(999), "999 B");
  EXPECT_EQ(to_rounded_byte_text(1'530'000'000), "1.53 GB");
}

TEST(ByteText, WhatIsNoAmountIsRefused) {
  EXPECT_EQ(error_of("1.5GiB"),
            "\"1.5GiB\" is not an amount of bytes: write a whole number and a unit (KiB, MiB, GiB, "
            "TiB, or KB, MB, GB, TB), such as \"512MiB\"");
  for (const char* text : {"", "MiB", "-1", "1 mb", "1gib", "GB", "half"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
  EXPECT_EQ(error_of("9999999999T"), "\"9999999999T\" is too large");
  EXPECT_EQ(error_of("99999999999999999999999"), "\"99999999999999999999999\" is too large");
}

TEST(ByteText, TheTextIsReadBackAsTheSameAmount) {
  EXPECT_EQ(to_byte_text(201'326'592), "192MiB");
  EXPECT_EQ(to_byte_text(0), "0");
  for (const std::uint64_t bytes : {1ULL, 1023ULL, 1024ULL, 1025ULL, 3ULL << 30U, 1ULL << 42U}) {
    EXPECT_EQ(*parse_bytes(to_byte_text(bytes)), bytes);
  }
}

}  // namespace
}  // namespace petrel
