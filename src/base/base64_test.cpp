#include "base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Base64, WritesTheVectorsOfRfc4648) {
  EXPECT_EQ(to_base64(bytes_of("")), "");
  EXPECT_EQ(to_base64(bytes_of("f")), "Zg==");
  EXPECT_EQ(to_base64(bytes_of("fo")), "Zm8=");
  EXPECT_EQ(to_base64(bytes_of("foo")), "Zm9v");
  EXPECT_EQ(to_base64(bytes_of("foob")), "Zm9vYg==");
  EXPECT_EQ(to_base64(bytes_of("fooba")), "Zm9vYmE=");
  EXPECT_EQ(to_base64(bytes_of("foobar")), "Zm9vYmFy");
}

TEST(Base64, ReadsWithAndWithoutPadding) {
  EXPECT_EQ(from_base64(""), bytes_of(""));
  EXPECT_EQ(from_base64("Zg=="), bytes_of("f"));
  EXPECT_EQ(from_base64("Zg"), bytes_of("f"));
  EXPECT_EQ(from_base64("Zm8="), bytes_of("fo"));
  EXPECT_EQ(from_base64("Zm8"), bytes_of("fo"));
  EXPECT_EQ(from_base64("Zm9v"), bytes_of("foo"));
}

TEST(Base64, RefusesPaddingThatIsHalfThereOrTooMuch) {
  EXPECT_EQ(from_base64("Zg="), std::nullopt);
  EXPECT_EQ(from_base64("Zm8=="), std::nullopt);
  EXPECT_EQ(from_base64("Zm9v="), std::nullopt);
  EXPECT_EQ(from_base64("Zm9v===="), std::nullopt);
  EXPECT_EQ(from_base64("="), std::nullopt);
  EXPECT_EQ(from_base64("===="), std::nullopt);
}

TEST(Base64, RefusesPaddingInTheMiddle) {
  EXPECT_EQ(from_base64("Zg==Zg=="), std::nullopt);
  EXPECT_EQ(from_base64("Z=g="), std::nullopt);
}

TEST(Base64, RefusesStrayBitsAtTheEnd) {
  EXPECT_EQ(from_base64("Zh=="), std::nullopt);
  EXPECT_EQ(from_base64("Zh"), std::nullopt);
  EXPECT_EQ(from_base64("Zm9="), std::nullopt);
}

TEST(Base64, RefusesALengthThatNoBytesHave) {
  EXPECT_EQ(from_base64("Z"), std::nullopt);
  EXPECT_EQ(from_base64("Zm9vZ"), std::nullopt);
}

TEST(Base64, RefusesCharactersFromElsewhere) {
  EXPECT_EQ(from_base64("Zm 9v"), std::nullopt);
  EXPECT_EQ(from_base64("Zm9v\n"), std::nullopt);
  EXPECT_EQ(from_base64("Zm9-"), std::nullopt);
  EXPECT_EQ(from_base64("Zm9_"), std::nullopt);
  EXPECT_EQ(from_base64(std::string_view("Zm\0v", 4)), std::nullopt);
  EXPECT_EQ(from_base64("Zm\xc3\xa4"), std::nullopt);
}

TEST(Base64, RefusesEveryByteBeyondAscii) {
  for (int byte = 0x80; byte <= 0xff; ++byte) {
    const std::string text = std::string("Zm9") + static_cast<char>(byte);
    EXPECT_EQ(from_base64(text), std::nullopt) << byte;
    EXPECT_EQ(from_base64(text + "A"), std::nullopt) << byte;
    EXPECT_EQ(from_base64url(text), std::nullopt) << byte;
  }
}

TEST(Base64, KeepsTheTwoAlphabetsApart) {
  const std::vector<std::uint8_t> bytes = {0xfb, 0xff, 0xbf};

  EXPECT_EQ(to_base64(bytes), "+/+/");
  EXPECT_EQ(to_base64url(bytes), "-_-_");
  EXPECT_EQ(from_base64("+/+/"), bytes);
  EXPECT_EQ(from_base64url("-_-_"), bytes);
  EXPECT_EQ(from_base64url("+/+/"), std::nullopt);
}

TEST(Base64, LeavesPaddingOutInUrls) {
  EXPECT_EQ(to_base64url(bytes_of("f")), "Zg");
  EXPECT_EQ(from_base64url("Zg"), bytes_of("f"));
  EXPECT_EQ(from_base64url("Zg=="), std::nullopt);
}

RC_GTEST_PROP(Base64, GivesEveryBytesBack, (const std::vector<std::uint8_t>& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
  RC_ASSERT(from_base64url(to_base64url(bytes)) == bytes);
}

RC_GTEST_PROP(Base64, HasOneTextForTheSameBytesButForPadding, (const std::string& text)) {
  const auto bytes = from_base64(text);
  if (!bytes) return;
  const std::string whole = to_base64(*bytes);
  RC_ASSERT(text == whole || text == whole.substr(0, whole.find('=')));
}

}  // namespace
}  // namespace petrel
