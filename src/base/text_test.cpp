#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

TEST(Text, TakesTheTenAsciiDigitsForDigits) {
  EXPECT_TRUE(is_digit('0'));
  EXPECT_TRUE(is_digit('9'));
  EXPECT_FALSE(is_digit('/'));
  EXPECT_FALSE(is_digit(':'));
  EXPECT_FALSE(is_digit('\0'));
  EXPECT_FALSE(is_digit('\xb2'));
}

TEST(Text, TrimsSpacesAndTabsAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, TrimsNothingButSpacesAndTabs) { EXPECT_EQ(trim("\na\r"), "\na\r"); }

TEST(Text, ComparesWithoutCaseInAsciiOnly) {
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-tYPE"));
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_TRUE(equals_ignoring_case("azAZ", "AZaz"));
  EXPECT_FALSE(equals_ignoring_case("abc", "abd"));
  EXPECT_FALSE(equals_ignoring_case("abc", "ab"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_FALSE(equals_ignoring_case("\xc3\x84", "\xc3\xa4"));
}

TEST(Text, ReadsNumbersMadeOfDigitsAlone) {
  EXPECT_EQ(parse_digits("0"), 0);
  EXPECT_EQ(parse_digits("007"), 7);
  EXPECT_EQ(parse_digits("9223372036854775807"), INT64_MAX);
}

TEST(Text, RefusesNumbersThatAreMoreThanDigitsOrDoNotFit) {
  EXPECT_EQ(parse_digits(""), std::nullopt);
  EXPECT_EQ(parse_digits("-1"), std::nullopt);
  EXPECT_EQ(parse_digits("+1"), std::nullopt);
  EXPECT_EQ(parse_digits(" 1"), std::nullopt);
  EXPECT_EQ(parse_digits("1 "), std::nullopt);
  EXPECT_EQ(parse_digits("1.5"), std::nullopt);
  EXPECT_EQ(parse_digits("0x10"), std::nullopt);
  EXPECT_EQ(parse_digits("9223372036854775808"), std::nullopt);
}

RC_GTEST_PROP(Text, ReadsEveryNumberThatIsNotNegative, ()) {
  const auto number = *rc::gen::inRange<std::int64_t>(0, INT64_MAX);
  RC_ASSERT(parse_digits(std::to_string(number)) == number);
}

TEST(Text, QuotesPlainTextAsItIs) {
  EXPECT_EQ(in_quotes("30s"), "\"30s\"");
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes(" ~"), "\" ~\"");
}

TEST(Text, QuotesUpToFortyCharacters) {
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "\"" + std::string(40, 'a') + "\"");
  EXPECT_EQ(in_quotes(std::string(41, 'a')), "\"" + std::string(40, 'a') + "…\"");
  EXPECT_EQ(in_quotes(std::string(1'000'000, 'a')), "\"" + std::string(40, 'a') + "…\"");
}

TEST(Text, QuotesWhatCouldSteerATerminalAsQuestionMarks) {
  EXPECT_EQ(in_quotes("a\x1b[2Jb\r\n\x7f"), "\"a?[2Jb???\"");
  EXPECT_EQ(in_quotes("\xc3\xa4"), "\"??\"");
  EXPECT_EQ(in_quotes(std::string_view("\0", 1)), "\"?\"");
}

}  // namespace
}  // namespace petrel
