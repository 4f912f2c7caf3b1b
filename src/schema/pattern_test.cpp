#include "schema/pattern.h"

#include <gtest/gtest.h>

namespace petrel::schema {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const Result<Pattern> compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled.ok()) << pattern;
  return compiled.ok() && compiled->matches(text);
}

TEST(PatternTest, IsFoundAnywhereUnlessTiedToAnEnd) {
  EXPECT_TRUE(matches("b+", "abbc"));
  EXPECT_TRUE(matches("b", "\n\nb"));
  EXPECT_FALSE(matches("^b", "ab"));
  EXPECT_FALSE(matches("b$", "ba"));
  EXPECT_TRUE(matches("^(a|b)c$", "bc"));
  EXPECT_FALSE(matches("^a|b$", "xax"));
  EXPECT_TRUE(matches("^[a-z]{2,4}-\\d{3}$", "abc-123"));
  EXPECT_TRUE(matches("", ""));
}

TEST(PatternTest, BacktracksNowhere) {
  // With backtracking each of these would outlive us.
  const std::string text(Pattern::kTextBytesMax, 'a');
  EXPECT_FALSE(matches("^(a+)+$", text.substr(1) + "!"));
  EXPECT_FALSE(matches("(a|aa)*b", text));
  EXPECT_FALSE(matches("a*a*a*a*a*a*b", text));
}

TEST(PatternTest, RefusesWhatHasNoBound) {
  for (const char* bad : {"(", "[", "a{1001}", "(a{40}){40}", "(a)\\1", "a(?=b)", "a(?!b)", "*"}) {
    EXPECT_FALSE(Pattern::compile(bad).ok()) << bad;
  }
  EXPECT_FALSE(Pattern::compile(std::string(1001, 'a')).ok());
  EXPECT_TRUE(Pattern::compile("a{100}").ok());
  EXPECT_TRUE(Pattern::compile("\\{1001\\}").ok());
}

}  // namespace
}  // namespace petrel::schema
