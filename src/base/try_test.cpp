#include "base/try.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace petrel {
namespace {

Status check(int number) {
  if (number < 0) return invalid("number", "is negative");
  return Done{};
}

Result<std::unique_ptr<int>> boxed(int number) {
  TRY(check(number));
  return std::make_unique<int>(number);
}

Result<std::string> sum_of(int a, int b) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> first, under("first", boxed(a)));
  int second = 0;
  ASSIGN_OR_RETURN(second, Result<int>(b));
  TRY(under("second", check(second)));
  return std::to_string(*first + second);
}

TEST(Try, GoesOnWithWhatThereIs) { EXPECT_EQ(*sum_of(1, 2), "3"); }

TEST(Try, HandsTheFirstErrorOnAsSeenFromFurtherOut) {
  EXPECT_EQ(sum_of(-1, -2).error(), invalid("first.number", "is negative"));
  EXPECT_EQ(sum_of(1, -2).error(), invalid("second.number", "is negative"));
}

}  // namespace
}  // namespace petrel
