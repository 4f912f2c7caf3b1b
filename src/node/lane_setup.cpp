#include "node/lane_setup.h"

#include <algorithm>

#include "base/url.h"

namespace petrel::node {
namespace {

template <typename T>
T nearest_value(const std::optional<T>& endpoint, const std::optional<T>& application,
                const T& server) {
  return endpoint.value_or(application.value_or(server));
}

template <typename T>
void set(T& place, const std::optional<T>& value) {
  if (value) place = *value;
}

void set_guards(const policy::Guards& guards, lane::LaneSettings& settings) {
  lane::BreakerSettings& breaker = settings.breaker;
  set(breaker.streak_to_open, guards.open_after);
  set(breaker.window, guards.open_window);
  set(breaker.window_attempts_min, guards.open_window_attempts);
  set(breaker.window_failed_percent, guards.open_window_percent);
  set(breaker.exhausted_to_open, guards.open_exhausted);
  set(breaker.exhausted_window, guards.open_exhausted_window);
  set(breaker.open_min, guards.open_time);
  set(breaker.open_max, guards.open_time_max);
  // One of the two alone may pass the other's default; what was said counts.
  if (guards.open_time_max) {
    breaker.open_min = std::min(breaker.open_min, breaker.open_max);
  } else {
    breaker.open_max = std::max(breaker.open_min, breaker.open_max);
  }
  set(settings.ramp.step, guards.ramp_step);
  set(settings.ramp.failed_percent_to_repeat, guards.ramp_percent);
  set(settings.ramp.in_flight_first, guards.ramp_in_flight);
  set(settings.ramp.rate_divisor, guards.ramp_divisor);
  set(settings.releases_after_outage, guards.release_after_outage);
  set(settings.permanent_streak_max, guards.pause_after);
}

}  // namespace

std::string authority_of(const std::string& text) {
  const Result<Url> url = Url::parse(text);
  return url.ok() ? url->origin() : text;
}

int in_flight_max_of(const model::Endpoint& endpoint, const model::Application* application,
                     const LaneDefaults& defaults) {
  const auto inherited = application == nullptr ? std::nullopt : application->in_flight_max;
  return nearest_value(endpoint.in_flight_max, inherited, defaults.in_flight_max);
}

engine::LaneConfig lane_config(const model::EndpointPtr& record,
                               const model::Application* application,
                               const LaneDefaults& defaults) {
  const model::Endpoint& endpoint = *record;
  const model::Application none;
  const model::Application& tenant = application == nullptr ? none : *application;
  engine::LaneConfig config;
  config.endpoint = endpoint.id;
  config.application = endpoint.application;
  config.record = record;
  config.authority = authority_of(endpoint.url);
  config.policy = std::make_shared<const policy::RetryPolicy>(
      policy::nearest(endpoint.retry_policy, tenant.retry_policy, defaults.retry_policy));
  config.timeout = nearest_value(endpoint.timeout, tenant.timeout, defaults.timeout);
  config.settings.in_flight_max = in_flight_max_of(endpoint, application, defaults);
  config.settings.throttle_rate = endpoint.throttle_rate;
  set_guards(nearest_value(endpoint.guards, tenant.guards, defaults.guards), config.settings);
  config.settings.may_send = endpoint.may_send();
  config.held_total = endpoint.held.total;
  config.is_deleted = endpoint.deleted_at.has_value();
  return config;
}

}  // namespace petrel::node
