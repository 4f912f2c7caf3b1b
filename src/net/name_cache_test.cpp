#include "net/name_cache.h"

#include <gtest/gtest.h>

namespace petrel::net {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart{hours(1)};

ResolutionPtr resolution(Resolution::Kind kind) {
  return std::make_shared<const Resolution>(Resolution{kind, {}, {}});
}

// How long addresses with this time to live are kept.
bool is_kept_for_exactly(Duration kept, Duration ttl) {
  NameCache cache(10);
  cache.put("a", resolution(Resolution::Kind::Found), ttl, kStart);
  return cache.find("a", kStart + kept - Duration(1)) != nullptr &&
         cache.find("a", kStart + kept) == nullptr;
}

TEST(NameCache, KeepsAddressesForTheirTimeToLiveWithinBounds) {
  EXPECT_TRUE(is_kept_for_exactly(seconds(60), seconds(60)));
  EXPECT_TRUE(is_kept_for_exactly(seconds(1), seconds(0)));
  EXPECT_TRUE(is_kept_for_exactly(minutes(5), hours(24)));
}

TEST(NameCache, RemembersNothingButAddresses) {
  using enum Resolution::Kind;
  for (const auto kind : {NoSuchName, Failed, Shortage}) {
    NameCache cache(10);
    cache.put("a", resolution(Found), seconds(60), kStart);
    cache.put("a", resolution(kind), seconds(60), kStart);
    EXPECT_EQ(cache.find("a", kStart), nullptr);
    EXPECT_EQ(cache.size(), 0U);
  }
}

TEST(NameCache, LetsTheNameGoThatWasAskedForLongestAgo) {
  NameCache cache(2);
  const auto found = resolution(Resolution::Kind::Found);
  cache.put("a", found, seconds(60), kStart);
  cache.put("b", found, seconds(60), kStart);
  ASSERT_NE(cache.find("a", kStart), nullptr);
  cache.put("c", found, seconds(60), kStart);

  EXPECT_EQ(cache.size(), 2U);
  EXPECT_NE(cache.find("a", kStart), nullptr);
  EXPECT_EQ(cache.find("b", kStart), nullptr);
  EXPECT_NE(cache.find("c", kStart), nullptr);
}

TEST(NameCache, ReplacesAnOlderAnswer) {
  NameCache cache(2);
  const auto newer = resolution(Resolution::Kind::Found);
  cache.put("a", resolution(Resolution::Kind::Found), seconds(60), kStart);
  cache.put("a", newer, seconds(60), kStart);
  EXPECT_EQ(cache.find("a", kStart), newer);
  EXPECT_EQ(cache.size(), 1U);
}

}  // namespace
}  // namespace petrel::net
