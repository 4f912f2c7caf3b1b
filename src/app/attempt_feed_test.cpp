#include "app/attempt_feed.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using std::chrono::seconds;

constexpr MonoTime kBegin{};

TEST(AttemptFeed, TellsOfEachAttemptOnce) {
  AttemptFeed feed({});
  feed.set_endpoints({"a", "b"}, kBegin);

  EXPECT_TRUE(feed.is_news("a", "1"));
  EXPECT_FALSE(feed.is_news("a", "1"));
  EXPECT_TRUE(feed.is_news("b", "1"));
}

TEST(AttemptFeed, AsksAQuietEndpointEverLessOftenAndABusyOneSoon) {
  AttemptFeed feed({});
  feed.set_endpoints({"a"}, kBegin);

  EXPECT_EQ(feed.next()->at, kBegin);
  feed.asked("a", false, kBegin);
  EXPECT_EQ(feed.next()->at, kBegin + seconds(2));
  for (int i = 0; i < 8; ++i) feed.asked("a", false, kBegin);
  EXPECT_EQ(feed.next()->at, kBegin + seconds(15));
  feed.asked("a", true, kBegin);
  EXPECT_EQ(feed.next()->at, kBegin + seconds(1));
}

TEST(AttemptFeed, AsksTheOneThatIsDueFirst) {
  AttemptFeed feed({});
  feed.set_endpoints({"a", "b"}, kBegin);
  feed.asked("a", false, kBegin);

  EXPECT_EQ(feed.next()->endpoint, "b");
}

TEST(AttemptFeed, ForgetsEndpointsThatAreGoneAndKeepsTheOthers) {
  AttemptFeed feed({});
  feed.set_endpoints({"a", "b"}, kBegin);
  EXPECT_TRUE(feed.is_news("a", "1"));
  feed.set_endpoints({"a"}, kBegin + seconds(5));

  EXPECT_FALSE(feed.is_news("a", "1"));
  EXPECT_EQ(feed.next()->endpoint, "a");
  EXPECT_EQ(feed.next()->at, kBegin);
  feed.set_endpoints({}, kBegin);
  EXPECT_FALSE(feed.next());
}

TEST(AttemptFeed, RemembersABoundedNumber) {
  AttemptFeed feed({.remembered_max = 2});
  feed.set_endpoints({"a"}, kBegin);
  for (const char* id : {"1", "2", "3"}) EXPECT_TRUE(feed.is_news("a", id));

  EXPECT_FALSE(feed.is_news("a", "2"));
  EXPECT_FALSE(feed.is_news("a", "3"));
  EXPECT_TRUE(feed.is_news("a", "1"));
}

}  // namespace
}  // namespace petrel::app
