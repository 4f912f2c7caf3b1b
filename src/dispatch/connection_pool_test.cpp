#include "dispatch/connection_pool.h"

#include <array>
#include <optional>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dispatch/connection.h"

namespace petrel::dispatch {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart{std::chrono::hours(1)};

class ConnectionPoolTest : public testing::Test {
 protected:
  ~ConnectionPoolTest() override {
    for (const int socket : others_) close(socket);
  }

  // One with a peer at its other end that says nothing.
  Connection* give(ConnectionPool& pool, const std::string& origin, MonoTime now = kStart,
                   std::optional<Duration> idle_time_max = std::nullopt) {
    auto connection = std::make_unique<Connection>(loop_, origin);
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    connection->socket().assign(boost::asio::ip::tcp::v4(), ends[0]);
    others_.push_back(ends[1]);
    connection->born_at = kStart;
    connection->idle_time_max = idle_time_max;
    Connection* raw = connection.get();
    pool.give(std::move(connection), now);
    return raw;
  }

  boost::asio::io_context loop_;
  std::vector<int> others_;
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
  pool.sweep(kStart + seconds(4) - Duration(1));
  EXPECT_EQ(pool.idle(), 1U);
  pool.sweep(kStart + seconds(4));
  EXPECT_EQ(pool.idle(), 0U);

  give(pool, "http://a:80", kStart + minutes(10));
  EXPECT_EQ(pool.idle(), 0U);
  give(pool, "http://a:80", kStart + minutes(10) - seconds(1));
  EXPECT_EQ(pool.idle(), 1U);
  EXPECT_EQ(pool.take("http://a:80", kStart + minutes(10)), nullptr);
  EXPECT_EQ(pool.idle(), 0U);
}

TEST_F(ConnectionPoolTest, KeepsAConnectionNoLongerThanItsReceiverWould) {
  ConnectionPool pool({});
  give(pool, "http://a:80", kStart, seconds(2));
  give(pool, "http://b:80", kStart, seconds(100));
  give(pool, "http://c:80", kStart, seconds(0));
  give(pool, "http://d:80", kStart, seconds(-1));

  EXPECT_EQ(pool.idle(), 2U);
  pool.sweep(kStart + seconds(2));
  EXPECT_EQ(pool.idle(), 1U);
  EXPECT_EQ(pool.take("http://b:80", kStart + seconds(4)), nullptr);
}

TEST_F(ConnectionPoolTest, LooksAtEveryConnectionBeforeItIsUsed) {
  ConnectionPool pool({});
  give(pool, "http://closed:80");
  shutdown(others_.back(), SHUT_WR);
  give(pool, "http://chatty:80");
  ASSERT_EQ(send(others_.back(), "HTTP/1.1 200 OK", 15, MSG_NOSIGNAL), 15);
  give(pool, "http://quiet:80");

  EXPECT_EQ(pool.take("http://closed:80", kStart), nullptr);
  EXPECT_EQ(pool.take("http://chatty:80", kStart), nullptr);
  EXPECT_NE(pool.take("http://quiet:80", kStart), nullptr);
}

}  // namespace
}  // namespace petrel::dispatch
