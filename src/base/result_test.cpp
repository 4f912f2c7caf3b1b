#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace petrel {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return invalid("number", "is odd");
  return number / 2;
}

Result<std::unique_ptr<int>> boxed(int number) { return std::make_unique<int>(number); }

TEST(Result, HoldsAValue) {
  const Result<int> result = half(4);

  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.value(), 2);
  EXPECT_EQ(*result, 2);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = half(3);

  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error(), (Error{ErrorKind::Invalid, "number", "is odd"}));
}

TEST(Result, LetsItsValueBeChangedInPlace) {
  Result<std::string> result = std::string("a");

  *result += "b";
  result->push_back('c');
  result.value() += "d";

  EXPECT_EQ(*result, "abcd");
  EXPECT_EQ(std::as_const(result)->size(), 4U);
}

TEST(Result, GivesUpAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = boxed(5);

  const std::unique_ptr<int> star = *std::move(result);
  const std::unique_ptr<int> value = boxed(6).value();

  EXPECT_EQ(*star, 5);
  EXPECT_EQ(*value, 6);
}

TEST(Result, HandsItsErrorOnToAResultOfAnotherType) {
  const Status status = half(3).error();

  EXPECT_EQ(status.error().text(), "number: is odd");
}

TEST(Result, OfAnActHasNothingToGiveBack) {
  const Status status = Done{};

  EXPECT_TRUE(status.ok());
  EXPECT_EQ(*status, Done{});
}

TEST(ResultDeathTest, StopsTheProcessWhenAskedForAValueThatIsNotThere) {
  Result<int> result = half(3);
  const Result<int> constant = half(3);

  EXPECT_DEATH(result.value(), "petrel: CHECK failed at .*result.h:[0-9]+: ok\\(\\)");
  EXPECT_DEATH(constant.value(), "petrel: CHECK failed at .*result.h:[0-9]+: ok\\(\\)");
  EXPECT_DEATH(*result, "petrel: CHECK failed at .*result.h:[0-9]+: ok\\(\\)");
  EXPECT_DEATH(half(3).value(), "petrel: CHECK failed at .*result.h:[0-9]+: ok\\(\\)");
}

TEST(ResultDeathTest, StopsTheProcessWhenAskedForAnErrorThatIsNotThere) {
  const Result<int> result = half(4);

  EXPECT_DEATH(result.error(), "petrel: CHECK failed at .*result.h:[0-9]+: !ok\\(\\)");
}

TEST(Error, ReadsAsFieldAndDetail) {
  EXPECT_EQ(invalid("rules[2].on", "is not a status").text(), "rules[2].on: is not a status");
  EXPECT_EQ(invalid("", "is not a status").text(), "is not a status");
}

TEST(Error, BuildsItsPathFromTheInsideOut) {
  const Error error = invalid("", "is not a status");

  EXPECT_EQ(error.under("on").field, "on");
  EXPECT_EQ(error.under("on").under("[2]").field, "[2].on");
  EXPECT_EQ(error.under("on").under("[2]").under("rules").field, "rules[2].on");
  EXPECT_EQ(error.under("on").under("[2]").under("rules").under("policy").field,
            "policy.rules[2].on");
  EXPECT_EQ(error.under("[1]").under("[0]").field, "[0][1]");
}

TEST(Error, KeepsKindAndDetailUnderAParent) {
  const Error error = conflict("is taken").under("name");

  EXPECT_EQ(error, (Error{ErrorKind::Conflict, "name", "is taken"}));
}

TEST(Error, HasAMakerAndANameForEveryKind) {
  EXPECT_EQ(invalid("a", "b"), (Error{ErrorKind::Invalid, "a", "b"}));
  EXPECT_EQ(not_found("b"), (Error{ErrorKind::NotFound, "", "b"}));
  EXPECT_EQ(conflict("b"), (Error{ErrorKind::Conflict, "", "b"}));
  EXPECT_EQ(unavailable("b"), (Error{ErrorKind::Unavailable, "", "b"}));
  EXPECT_EQ(corrupt("b"), (Error{ErrorKind::Corrupt, "", "b"}));

  EXPECT_EQ(to_string(ErrorKind::Invalid), "invalid");
  EXPECT_EQ(to_string(ErrorKind::NotFound), "not found");
  EXPECT_EQ(to_string(ErrorKind::Conflict), "conflict");
  EXPECT_EQ(to_string(ErrorKind::Unavailable), "unavailable");
  EXPECT_EQ(to_string(ErrorKind::Corrupt), "corrupt");
}

TEST(Error, ShowsAHostileNameCutAndPlain) {
  const std::string hostile = "\x1b[31m" + std::string(100'000, 'x');
  EXPECT_EQ(invalid(hostile, "d").field, "?[31m" + std::string(59, 'x') + "…");
  EXPECT_EQ(invalid("on", "d").under(hostile).field, "?[31m" + std::string(59, 'x') + "….on");
}

}  // namespace
}  // namespace petrel
