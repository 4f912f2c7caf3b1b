#include "dispatch/connection_pool.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "dispatch/connection.h"

namespace petrel::dispatch {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart{std::chrono::hours(1)};

// The connections are not open, so only those that were given back just now pass for alive.
class ConnectionPoolTest : public testing::Test {
 protected:
  Connection* give(ConnectionPool& pool, const std::string& origin, MonoTime now = kStart) {
    auto connection = std::make_unique<Connection>(loop_, origin);
    connection->born_at = kStart;
    Connection* raw = connection.get();
    pool.give(std::move(connection), now);
    return raw;
  }

  boost::asio::io_context loop_;
};

TEST_F(ConnectionPoolTest, GivesOutTheConnectionUsedLastOfItsOrigin) {
  ConnectionPool pool({});
  Connection* first = give(pool, "http://a:80");
  Connection* second = give(pool, "http://a:80");
  give(pool, "http://b:80");

  const auto taken = pool.take("http://a:80", kStart);
  EXPECT_EQ(taken.get(), second);
  EXPECT_TRUE(taken->is_reused);
  EXPECT_EQ(pool.take("http://a:80", kStart).get(), first);
  EXPECT_EQ(pool.take("http://a:80", kStart), nullptr);
  EXPECT_EQ(pool.take("https://b:80", kStart), nullptr);
  EXPECT_EQ(pool.idle(), 1U);
}

TEST_F(ConnectionPoolTest, KeepsNoMoreThanItsLimits) {
  PoolSettings settings;
  settings.idle_per_origin_max = 2;
  settings.idle_max = 3;
  ConnectionPool pool(settings);
  give(pool, "http://a:80");
  Connection* second = give(pool, "http://a:80");
  Connection* third = give(pool, "http://a:80");
  EXPECT_EQ(pool.idle(), 2U);
  give(pool, "http://b:80");
  give(pool, "http://c:80");

  EXPECT_EQ(pool.idle(), 3U);
  EXPECT_EQ(pool.take("http://a:80", kStart).get(), third);
  EXPECT_EQ(pool.take("http://a:80", kStart), nullptr) << second;
}

TEST_F(ConnectionPoolTest, LetsConnectionsGoThatHaveIdledOrLivedTooLong) {
  ConnectionPool pool({});
  give(pool, "http://a:80");
  pool.sweep(kStart + seconds(59));
  EXPECT_EQ(pool.idle(), 1U);
  pool.sweep(kStart + seconds(60));
  EXPECT_EQ(pool.idle(), 0U);

  give(pool, "http://a:80", kStart + minutes(10));
  EXPECT_EQ(pool.idle(), 0U);
  give(pool, "http://a:80", kStart + minutes(10) - seconds(1));
  EXPECT_EQ(pool.idle(), 1U);
  EXPECT_EQ(pool.take("http://a:80", kStart + minutes(10)), nullptr);
  EXPECT_EQ(pool.idle(), 0U);
}

TEST_F(ConnectionPoolTest, LooksAtAConnectionThatHasIdledForAWhile) {
  ConnectionPool pool({});
  give(pool, "http://a:80");
  EXPECT_EQ(pool.take("http://a:80", kStart + seconds(1)), nullptr);
}

}  // namespace
}  // namespace petrel::dispatch
