#include "node/lane_setup.h"

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::node {
namespace {

model::Endpoint endpoint_at(std::string url) {
  SeededSecureRandom random(1);
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  endpoint.url = std::move(url);
  return endpoint;
}

engine::LaneConfig resolved(const model::Endpoint& endpoint, const model::Application* application,
                            const LaneDefaults& defaults) {
  return lane_config(std::make_shared<const model::Endpoint>(endpoint), application, defaults);
}

TEST(LaneConfig, TheNearestSettingWins) {
  model::Endpoint endpoint = endpoint_at("https://example.com/hook");
  model::Application application;
  LaneDefaults defaults;
  defaults.retry_policy = *policy::find_preset("svix");
  EXPECT_EQ(resolved(endpoint, nullptr, defaults).settings.in_flight_max, 10);
  EXPECT_EQ(resolved(endpoint, nullptr, defaults).policy->preset, "svix");

  application.in_flight_max = 5;
  application.retry_policy = policy::find_preset("gethook").value();
  endpoint.timeout = std::chrono::seconds(3);
  const engine::LaneConfig config = resolved(endpoint, &application, defaults);
  EXPECT_EQ(config.settings.in_flight_max, 5);
  EXPECT_EQ(config.policy->preset, "gethook");
  EXPECT_EQ(config.timeout, std::chrono::seconds(3));
}

TEST(LaneConfig, TheNearestGuardsWinWhole) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  model::Endpoint endpoint = endpoint_at("https://example.com/hook");
  model::Application application;
  application.guards = policy::Guards{.open_after = 5, .ramp_step = seconds(10)};
  const auto settings = [&] { return resolved(endpoint, &application, {}).settings; };

  EXPECT_EQ(settings().breaker.streak_to_open, 5);
  EXPECT_EQ(settings().ramp.step, seconds(10));
  EXPECT_TRUE(settings().releases_after_outage);
  EXPECT_EQ(settings().breaker.open_min, seconds(15)) << "what is not set is the lane's";

  endpoint.guards = policy::Guards{.open_window = seconds(30),
                                   .open_window_attempts = 9,
                                   .open_window_percent = 80,
                                   .open_exhausted = 3,
                                   .open_exhausted_window = minutes(5),
                                   .open_time = seconds(2),
                                   .open_time_max = seconds(8),
                                   .ramp_percent = 50,
                                   .ramp_in_flight = 4,
                                   .ramp_divisor = 2,
                                   .release_after_outage = false,
                                   .pause_after = 7};
  const lane::LaneSettings own = settings();
  EXPECT_EQ(own.breaker.streak_to_open, 20);
  EXPECT_EQ(own.ramp.step, seconds(5));
  EXPECT_EQ(own.breaker.window, seconds(30));
  EXPECT_EQ(own.breaker.window_attempts_min, 9);
  EXPECT_EQ(own.breaker.window_failed_percent, 80);
  EXPECT_EQ(own.breaker.exhausted_to_open, 3);
  EXPECT_EQ(own.breaker.exhausted_window, minutes(5));
  EXPECT_EQ(own.breaker.open_min, seconds(2));
  EXPECT_EQ(own.breaker.open_max, seconds(8));
  EXPECT_EQ(own.ramp.failed_percent_to_repeat, 50);
  EXPECT_EQ(own.ramp.in_flight_first, 4);
  EXPECT_EQ(own.ramp.rate_divisor, 2);
  EXPECT_FALSE(own.releases_after_outage);
  EXPECT_EQ(own.permanent_streak_max, 7);
}

TEST(LaneConfig, AnOpenTimeBeyondTheOthersDefaultBringsItAlong) {
  model::Endpoint endpoint = endpoint_at("https://example.com/hook");
  endpoint.guards = policy::Guards{.open_time = std::chrono::hours(1)};
  EXPECT_EQ(resolved(endpoint, nullptr, {}).settings.breaker.open_max, std::chrono::hours(1));
  endpoint.guards = policy::Guards{.open_time_max = std::chrono::seconds(4)};
  EXPECT_EQ(resolved(endpoint, nullptr, {}).settings.breaker.open_min, std::chrono::seconds(4));
}

TEST(LaneConfig, EndpointsOfOneReceiverShareAnAuthority) {
  const LaneDefaults defaults;
  const auto authority = [&](std::string url) {
    return resolved(endpoint_at(std::move(url)), nullptr, defaults).authority;
  };
  EXPECT_EQ(authority("https://Example.com/a"), authority("https://example.com:443/b"));
  EXPECT_NE(authority("https://example.com/a"), authority("http://example.com/a"));
}

TEST(LaneConfig, APausedEndpointMayNotSend) {
  model::Endpoint endpoint = endpoint_at("https://example.com/");
  EXPECT_TRUE(resolved(endpoint, nullptr, {}).settings.may_send);
  endpoint.pause = model::Pause{WallTime{}, "by the user"};
  endpoint.held.total = std::chrono::hours(3);
  EXPECT_FALSE(resolved(endpoint, nullptr, {}).settings.may_send);
  EXPECT_EQ(resolved(endpoint, nullptr, {}).held_total, std::chrono::hours(3));
  EXPECT_FALSE(resolved(endpoint, nullptr, {}).is_deleted);
}

TEST(LaneConfig, ADeletedEndpointMayNotSendEither) {
  model::Endpoint endpoint = endpoint_at("https://example.com/");
  endpoint.deleted_at = WallTime{};
  EXPECT_FALSE(resolved(endpoint, nullptr, {}).settings.may_send);
  EXPECT_TRUE(resolved(endpoint, nullptr, {}).is_deleted);
}

}  // namespace
}  // namespace petrel::node
