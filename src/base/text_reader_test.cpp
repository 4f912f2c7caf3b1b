#include "base/text_reader.h"

#include <array>

#include <gtest/gtest.h>

namespace petrel {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"red", "green", "blue"};

TEST(TextReader, ReadsAsTheGrammarDoes) {
  TextReader reader("07-green!");

  EXPECT_EQ(reader.digits(2), 7);
  reader.expect("-");
  EXPECT_EQ(reader.one_of(kNames), 1U);
  EXPECT_FALSE(reader.done());
  EXPECT_TRUE(reader.accept("!"));
  EXPECT_TRUE(reader.done());
}

TEST(TextReader, IsNotDoneWhileSomethingIsLeft) {
  TextReader reader("12 ");
  reader.digits(2);

  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.rest(), " ");
}

TEST(TextReader, FailsIfTheDigitsAreTooFewOrNone) {
  TextReader too_few("1");
  TextReader none("1a");

  EXPECT_EQ(too_few.digits(2), 0);
  EXPECT_FALSE(too_few.ok());
  EXPECT_EQ(none.digits(2), 0);
  EXPECT_FALSE(none.ok());
}

TEST(TextReader, FailsIfTheExpectedIsNotNext) {
  TextReader reader("ab");
  reader.expect("b");

  EXPECT_FALSE(reader.ok());
}

TEST(TextReader, DoesNotFailIfTheAcceptedIsNotNext) {
  TextReader reader("ab");

  EXPECT_FALSE(reader.accept("b"));
  EXPECT_FALSE(reader.accept("abc"));
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.rest(), "ab");
}

TEST(TextReader, FailsIfNoneOfTheNamesIsNext) {
  TextReader reader("Red");

  EXPECT_EQ(reader.one_of(kNames), 0U);
  EXPECT_FALSE(reader.ok());
}

TEST(TextReader, TakesNothingMoreAfterAFailure) {
  TextReader reader("12red");
  reader.fail();

  EXPECT_EQ(reader.digits(2), 0);
  EXPECT_FALSE(reader.accept("12"));
  EXPECT_EQ(reader.one_of(kNames), 0U);
  EXPECT_EQ(reader.rest(), "12red");
  EXPECT_FALSE(reader.done());
}

}  // namespace
}  // namespace petrel
