#include "schema/pattern.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace petrel::schema {
namespace {

constexpr std::int64_t kPlenty = 100'000'000;

bool matches(std::string_view pattern, std::string_view text) {
  const Result<Pattern> compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled.ok()) << pattern;
  Steps steps(kPlenty);
  return compiled.ok() && compiled->matches(text, steps);
}

std::int64_t steps_of(std::string_view pattern, std::string_view text) {
  const Result<Pattern> compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled.ok()) << pattern;
  Steps steps(kPlenty);
  if (compiled.ok()) compiled->matches(text, steps);
  return kPlenty - steps.left();
}

std::string times(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
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
  EXPECT_TRUE(matches("", "abc"));
  EXPECT_TRUE(matches("^$", ""));
  EXPECT_FALSE(matches("^$", "a"));
}

struct Row {
  std::string_view pattern;
  std::string_view fits;
  std::string_view misses;
};

TEST(PatternTest, KnowsTheWordsOfEcmaScript) {
  constexpr auto kRows = std::to_array<Row>({
      {"^a*$", "aaa", "aab"},
      {"^a+$", "a", ""},
      {"^a?b$", "b", "aab"},
      {"^a{2}$", "aa", "aaa"},
      {"^a{2,}$", "aaaa", "a"},
      {"^a{0,2}$", "", "aaa"},
      {"^a{2,3}?$", "aaa", "a"},
      {"^(ab|c)+?$", "abcab", "abca"},
      {"^(?:a|)b$", "b", "ab b"},
      {"^(?<year>\\d{4})$", "2026", "20x6"},
      {"^.$", "é", "\n"},
      {"^[^a-c]$", "d", "b"},
      {"^[\\w.-]+$", "a_b.c-1", "a b"},
      {"^[-a]$", "-", "b"},
      {"^[a-]$", "-", "b"},
      {"^[\\d-x]$", "-", "y"},
      {"^(a|[])$", "a", ""},
      {"^[^]$", "\n", ""},
      {"^[\\]\\\\]$", "]", "["},
      {"^\\D\\W\\S$", "a-b", "1-b"},
      {"^\\s$", "\t", "a"},
      {"\\bcat\\b", "a cat!", "concat"},
      {"\\Bcat", "concat", "cat"},
      {"^\\x41\\u00e9\\cJ$", "Aé\n", "Bé\n"},
      {"^\\ud83d\\ude00$", "😀", "😁"},
      {"^\\u{1f600}$", "😀", "😁"},
      {"^[а-я]+$", "привет", "Привет"},
      {"^[^а-я]$", "z", "я"},
      {"^\\.\\/\\-\\{\\}$", "./-{}", "a/-{}"},
      {"^a{,2}$", "a{,2}", "aa"},
      {"^{}$", "{}", ""},
      {"^(a*)*$", "aaa", "b"},
      {"^(a*)+$", "", "b"},
      {"^(|a)+$", "aa", "b"},
  });
  for (const Row& row : kRows) {
    EXPECT_TRUE(matches(row.pattern, row.fits)) << row.pattern << " should fit " << row.fits;
    EXPECT_FALSE(matches(row.pattern, row.misses)) << row.pattern << " fits " << row.misses;
  }
}

TEST(PatternTest, TakesFewStepsForWhatIsPlain) {
  EXPECT_LE(steps_of("^[a-z]{2,8}-\\d+$", "order-17"), 40);
  const std::string uuid = "123e4567-e89b-12d3-a456-426614174000";
  EXPECT_LE(steps_of("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", uuid), 100);
  EXPECT_LE(steps_of("^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$", "someone@example.com"), 100);
}

TEST(PatternTest, TakesNoMoreStepsThanStatesForEachCharacter) {
  const std::string text(4096, 'a');
  for (const std::string& pattern :
       {std::string("^(a+)+$"), std::string("(a|aa)*b"), std::string("a*a*a*a*a*a*b"),
        times("a?", 490) + "b", times("a*", 320) + "c", std::string("(a|b)*a[ab]{300}c"),
        times("(?:", 90) + "a" + times("*)", 90)}) {
    const Result<Pattern> compiled = Pattern::compile(pattern);
    ASSERT_TRUE(compiled.ok()) << pattern;
    const auto bound = static_cast<std::int64_t>(compiled->size() * (text.size() + 2));
    EXPECT_LE(steps_of(pattern, text + "!"), bound) << pattern;
  }
}

TEST(PatternTest, SaysNoOnceItsStepsAreUsedUp) {
  const Result<Pattern> pattern = Pattern::compile(times("a?", 400) + "$");
  ASSERT_TRUE(pattern.ok());
  Steps steps(100'000);
  EXPECT_FALSE(pattern->matches(std::string(4096, 'a') + "b", steps));
  EXPECT_TRUE(steps.is_spent());
}

TEST(PatternTest, RefusesWhatHasNoBound) {
  for (const char* bad :
       {"(",      "[",      ")",      "a{1001}", "(a{40}){40}", "((){1000}){1000}",
        "(a)\\1", "a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b",     "*",
        "a**",    "|*",     "a{3,2}", "[z-a]",   "[a-\\d]",     "\\",
        "[\\",    "\\xg0",  "\\u12",  "\\q",     "\\u{110000}", "(?<name"}) {
    EXPECT_FALSE(Pattern::compile(bad).ok()) << bad;
  }
  EXPECT_FALSE(Pattern::compile(std::string(1001, 'a')).ok());
  EXPECT_FALSE(Pattern::compile(times("(", 300) + times(")", 300)).ok());
  EXPECT_TRUE(Pattern::compile("a{100}").ok());
  EXPECT_TRUE(Pattern::compile("\\{1001\\}").ok());
}

}  // namespace
}  // namespace petrel::schema
