#include "dispatch/connection_places.h"

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "dispatch/connection.h"

namespace petrel::dispatch {
namespace {

using std::chrono::seconds;

constexpr MonoTime kStart{std::chrono::hours(1)};

// Two loops, turned by hand, whose connections share four descriptors.
class ConnectionPlacesTest : public testing::Test {
 protected:
  // A connection that idles since `since`.
  void keep(ConnectionPlaces& places, MonoTime since, const std::string& key = "http://a:80") {
    auto connection = std::make_unique<Connection>(loop_, key);
    connection->place = budget_->take_outgoing();
    EXPECT_TRUE(connection->place);
    connection->born_at = since;
    places.pool().give(std::move(connection), since);
  }

  // What another loop's question brings; not empty once it has come.
  std::optional<bool> find(ConnectionPlaces& places) {
    std::optional<bool> found;
    places.find([&](net::DescriptorPlace place) {
      found = static_cast<bool>(place);
      kept_ = std::move(place);
    });
    other_loop_.poll();
    loop_.poll();
    return found;
  }

  boost::asio::io_context loop_;
  boost::asio::io_context other_loop_;
  std::shared_ptr<net::DescriptorBudget> budget_ =
      net::DescriptorBudget::make({.store = 0, .accepted = 0, .outgoing = 4});
  std::shared_ptr<IdleConnections> idle_ = std::make_shared<IdleConnections>();
  ConnectionPlaces own_{{loop_, budget_, idle_}, PoolSettings()};
  ConnectionPlaces other_{{other_loop_, budget_, idle_}, PoolSettings()};
  net::DescriptorPlace kept_;
};

TEST_F(ConnectionPlacesTest, WhatIdlesKeepsItsPlaceWhileThereAreFreeOnes) {
  keep(own_, kStart);
  const net::DescriptorPlace place = own_.take();
  EXPECT_TRUE(place);
  EXPECT_EQ(own_.pool().idle(), 1U);
  EXPECT_EQ(budget_->counts().evictions, 0U);
}

TEST_F(ConnectionPlacesTest, TheConnectionThatHasIdledLongestGoesFirstWhateverItsAuthority) {
  for (int i = 0; i < 4; ++i) keep(own_, kStart + seconds(i), "http://" + std::to_string(i));
  const net::DescriptorPlace place = own_.take();
  EXPECT_TRUE(place);
  EXPECT_EQ(own_.pool().take("http://0", kStart + seconds(3)), nullptr);
  EXPECT_EQ(own_.pool().idle(), 3U);
  EXPECT_EQ(budget_->counts().outgoing, 4U);
  EXPECT_EQ(budget_->counts().evictions, 1U);
}

TEST_F(ConnectionPlacesTest, ALoopWithoutIdleConnectionsGetsThePlaceOfAnotherLoops) {
  for (int i = 0; i < 4; ++i) keep(other_, kStart + seconds(i));
  EXPECT_FALSE(own_.take());
  EXPECT_EQ(find(own_), true);
  EXPECT_EQ(other_.pool().idle(), 3U);
  EXPECT_EQ(budget_->counts().outgoing, 4U);
}

TEST_F(ConnectionPlacesTest, TheOldestOfAllLoopsGoes) {
  keep(own_, kStart + seconds(1));
  keep(other_, kStart);
  EXPECT_EQ(find(own_), true);
  EXPECT_EQ(own_.pool().idle(), 1U);
  EXPECT_EQ(other_.pool().idle(), 0U);
  EXPECT_EQ(idle_->count(), 1U);
}

TEST_F(ConnectionPlacesTest, WithoutAnIdleConnectionAnywhereThereIsNone) {
  std::array<net::DescriptorPlace, 4> busy;
  for (net::DescriptorPlace& each : busy) each = budget_->take_outgoing();
  EXPECT_FALSE(own_.take());
  EXPECT_EQ(find(own_), false);
  EXPECT_EQ(budget_->counts().refused, 1U);
}

TEST_F(ConnectionPlacesTest, ALoopThatHasGoneIsAskedInVain) {
  auto gone = std::make_unique<ConnectionPlaces>(
      ConnectionPlaces::Parts{other_loop_, budget_, idle_}, PoolSettings());
  for (int i = 0; i < 4; ++i) keep(*gone, kStart);
  std::optional<bool> is_freed;
  own_.relieve([&](bool was) { is_freed = was; });
  gone.reset();
  other_loop_.poll();
  loop_.poll();
  EXPECT_EQ(is_freed, false);
}

TEST_F(ConnectionPlacesTest, AShortageOfTheSystemClosesAnIdleConnectionOfEitherLoop) {
  keep(own_, kStart);
  keep(other_, kStart);
  int freed = 0;
  const auto count = [&](bool is_freed) { freed += is_freed ? 1 : 0; };
  for (int i = 0; i < 3; ++i) {
    own_.relieve(count);
    other_loop_.poll();
    loop_.poll();
    loop_.restart();
    other_loop_.restart();
  }
  EXPECT_EQ(freed, 2);
  EXPECT_EQ(budget_->counts().outgoing, 0U);
  EXPECT_EQ(budget_->counts().shortages, 3U);
}

}  // namespace
}  // namespace petrel::dispatch
