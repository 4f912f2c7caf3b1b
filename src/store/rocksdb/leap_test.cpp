#include "store/rocksdb/leap.h"

#include <gtest/gtest.h>

namespace petrel::store {
namespace {

std::string place(std::string text) {
  text.resize(kPlaceBytes, '\0');
  return text;
}

TEST(Leap, EndsRightBehindWhatCannotBeRead) {
  const auto found =
      find_readable("b", Order::Ascending, [](const std::string& at) { return at > "dog"; });
  EXPECT_EQ(found, place("dog"));
}

TEST(Leap, GoesBackTheSameWay) {
  const auto found = find_readable("dog", Order::Descending,
                                   [](const std::string& at) { return at < place("b"); });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, "a" + std::string(kPlaceBytes - 1, '\xFF'));
}

TEST(Leap, ReachesTheEndFromAnywhere) {
  const std::string last(kPlaceBytes, '\xFF');
  const auto is_last = [&](const std::string& at) { return at == last; };
  EXPECT_EQ(find_readable("", Order::Ascending, is_last), last);
  EXPECT_EQ(find_readable("\xFE", Order::Ascending, is_last), last);
  const auto is_first = [](const std::string& at) { return at == place(""); };
  EXPECT_EQ(find_readable("\xFE", Order::Descending, is_first), place(""));
}

TEST(Leap, FindsNothingWhereNothingCanBeRead) {
  const auto never = [](const std::string&) { return false; };
  EXPECT_FALSE(find_readable("b", Order::Ascending, never));
  EXPECT_FALSE(find_readable("b", Order::Descending, never));
  EXPECT_FALSE(find_readable(std::string(kPlaceBytes, '\xFF'), Order::Ascending, never));
}

TEST(Leap, StaysCloseAlthoughMoreIsDamagedFarBehind) {
  const auto found = find_readable("b", Order::Ascending, [](const std::string& at) {
    return (at >= place("ba") && at < place("m")) || at >= place("n");
  });
  EXPECT_EQ(found, place("ba"));
}

}  // namespace
}  // namespace petrel::store
