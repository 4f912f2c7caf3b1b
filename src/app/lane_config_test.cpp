#include "app/lane_config.h"

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::app {
namespace {

model::Endpoint endpoint_at(std::string url) {
  SeededSecureRandom random(1);
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  endpoint.url = std::move(url);
  return endpoint;
}

TEST(LaneConfig, TheNearestSettingWins) {
  model::Endpoint endpoint = endpoint_at("https://example.com/hook");
  model::Application application;
  LaneDefaults defaults;
  defaults.retry_policy = *policy::find_preset("svix");
  EXPECT_EQ(lane_config(endpoint, nullptr, defaults).settings.in_flight_max, 10);
  EXPECT_EQ(lane_config(endpoint, nullptr, defaults).policy->preset, "svix");

  application.in_flight_max = 5;
  application.retry_policy = policy::find_preset("gethook").value();
  endpoint.timeout = std::chrono::seconds(3);
  const engine::LaneConfig config = lane_config(endpoint, &application, defaults);
  EXPECT_EQ(config.settings.in_flight_max, 5);
  EXPECT_EQ(config.policy->preset, "gethook");
  EXPECT_EQ(config.timeout, std::chrono::seconds(3));
}

TEST(LaneConfig, EndpointsOfOneReceiverShareAnAuthority) {
  const LaneDefaults defaults;
  const auto authority = [&](std::string url) {
    return lane_config(endpoint_at(std::move(url)), nullptr, defaults).authority;
  };
  EXPECT_EQ(authority("https://Example.com/a"), authority("https://example.com:443/b"));
  EXPECT_NE(authority("https://example.com/a"), authority("http://example.com/a"));
}

TEST(LaneConfig, APausedEndpointMayNotSend) {
  model::Endpoint endpoint = endpoint_at("https://example.com/");
  EXPECT_TRUE(lane_config(endpoint, nullptr, {}).settings.may_send);
  endpoint.pause = model::Pause{WallTime{}, "by the user"};
  endpoint.held.total = std::chrono::hours(3);
  EXPECT_FALSE(lane_config(endpoint, nullptr, {}).settings.may_send);
  EXPECT_EQ(lane_config(endpoint, nullptr, {}).held_total, std::chrono::hours(3));
  EXPECT_FALSE(lane_config(endpoint, nullptr, {}).is_deleted);
}

TEST(LaneConfig, ADeletedEndpointMayNotSendEither) {
  model::Endpoint endpoint = endpoint_at("https://example.com/");
  endpoint.deleted_at = WallTime{};
  EXPECT_FALSE(lane_config(endpoint, nullptr, {}).settings.may_send);
  EXPECT_TRUE(lane_config(endpoint, nullptr, {}).is_deleted);
}

}  // namespace
}  // namespace petrel::app
