// What a change of an endpoint means for attempts that are under way, and what a lane's state on
// disk is then.

#include <chrono>

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LaneConfig at_url(const std::string& url) {
  LaneConfig config = lane_config(1);
  config.record = endpoint_at(url);
  return config;
}

TEST(CoreChanges, TheRecordNamesTheUrlThatTheRequestWentTo) {
  DrivenCore shard;
  shard.core.configure(at_url("https://host1:443/old"), shard.now);
  shard.accept(1, 1, std::make_shared<const std::string>("{}"));
  shard.step();
  ASSERT_EQ(shard.out.begin()->second.order.endpoint->url, "https://host1:443/old");

  shard.core.configure(at_url("https://host1:443/new"), shard.now);
  shard.end(1, 200);

  EXPECT_EQ(shard.written.at(0).attempt->url, "https://host1:443/old");
}

TEST(CoreChanges, AnAttemptThatWaitedForItsPayloadGoesToTheUrlOfNow) {
  DrivenCore shard;
  shard.core.configure(at_url("https://host1:443/old"), shard.now);
  shard.accept(1);
  shard.step();
  SendCommand& send = shard.out.begin()->second;

  LaneConfig changed = at_url("https://host1:443/new");
  changed.timeout = seconds(3);
  shard.core.configure(changed, shard.now);
  shard.now = moment(seconds(1));

  ASSERT_TRUE(shard.core.departs(send.ticket, send.order, shard.now));
  EXPECT_EQ(send.order.endpoint->url, "https://host1:443/new");
  EXPECT_EQ(send.order.timeout, seconds(3));
  EXPECT_EQ(send.order.started_at, shard.now.wall);
  shard.end(1, 200);
  EXPECT_EQ(shard.written.at(0).attempt->url, "https://host1:443/new");
}

// It holds a place at the old authority, and none at the new one.
TEST(CoreChanges, AnAttemptThatWaitedForItsPayloadStartsAnewAtAnotherAuthority) {
  DrivenCore shard;
  shard.core.configure(at_url("https://host1:443/old"), shard.now);
  shard.accept(1);
  shard.step();
  SendCommand send = shard.out.begin()->second;

  LaneConfig changed = at_url("https://elsewhere:443/new");
  changed.authority = "https://elsewhere:443";
  shard.core.configure(changed, shard.now);

  EXPECT_FALSE(shard.core.departs(send.ticket, send.order, shard.now));
  shard.out.clear();
  shard.step();
  ASSERT_EQ(shard.out.size(), 1U);
  EXPECT_EQ(shard.out.begin()->second.order.endpoint->url, "https://elsewhere:443/new");
}

TEST(CoreChanges, ASettlementThatIsHandedOutAgainCarriesItsLaneAsItIsThen) {
  DrivenCore shard;
  lane::LaneSettings settings{.in_flight_max = 2};
  settings.breaker.streak_to_open = 1;
  shard.add_lane(1, settings);
  shard.accept(1);
  shard.accept(2);
  shard.step();
  shard.mood = DrivenCore::StoreMood::Slow;
  shard.end(1, 500);  // Opens the circuit.
  shard.core.close_circuit(endpoint_id(1), shard.now);
  shard.end(2, 200);
  ASSERT_EQ(shard.unanswered.size(), 2U);

  shard.answer_settlement(2);
  shard.answer_settlement(1, SettleAnswer::Away);
  shard.mood = DrivenCore::StoreMood::Well;
  shard.pass(milliseconds(50));

  ASSERT_EQ(shard.written.size(), 2U);
  ASSERT_TRUE(shard.written.back().lane.has_value());
  const auto kept = store::decode_kept_lane(*shard.written.back().lane);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->snapshot.breaker.state, lane::CircuitBreaker::State::Closed);
}

TEST(CoreChanges, ARaisedSharedRateHoldsAtOnceForLanesThatWaitForIt) {
  DrivenCore shard;
  const auto rate = std::make_shared<lane::SharedRate>(1);
  const auto configure = [&](int endpoint) {
    LaneConfig config = lane_config(endpoint);
    config.shared_rate = rate;
    shard.core.configure(config, shard.now);
  };
  for (int endpoint = 1; endpoint <= 5; ++endpoint) {
    configure(endpoint);
    shard.accept(endpoint, endpoint);
  }
  shard.step();
  ASSERT_EQ(shard.sent.size(), 1U);

  rate->set_rate(100, shard.now.mono);
  for (int endpoint = 1; endpoint <= 5; ++endpoint) configure(endpoint);
  shard.step();
  shard.pass(milliseconds(40));

  EXPECT_EQ(shard.sent.size(), 5U);
}

}  // namespace
}  // namespace petrel::engine
