#include "app/lane_config.h"

#include "net/url.h"

namespace petrel::app {
namespace {

template <typename T>
T nearest_value(const std::optional<T>& endpoint, const std::optional<T>& application,
                const T& server) {
  return endpoint.value_or(application.value_or(server));
}

}  // namespace

engine::LaneConfig lane_config(const model::Endpoint& endpoint,
                               const model::Application* application,
                               const LaneDefaults& defaults) {
  const model::Application none;
  const model::Application& tenant = application == nullptr ? none : *application;
  engine::LaneConfig config;
  config.endpoint = endpoint.id;
  config.application = endpoint.application;
  config.url = endpoint.url;
  const Result<net::Url> url = net::Url::parse(endpoint.url);
  config.authority = url.ok() ? url->origin() : endpoint.url;
  config.policy = std::make_shared<const policy::RetryPolicy>(
      policy::nearest(endpoint.retry_policy, tenant.retry_policy, defaults.retry_policy));
  config.timeout = nearest_value(endpoint.timeout, tenant.timeout, defaults.timeout);
  config.settings.in_flight_max =
      nearest_value(endpoint.in_flight_max, tenant.in_flight_max, defaults.in_flight_max);
  config.settings.throttle_rate = endpoint.throttle_rate;
  config.settings.may_send = endpoint.may_send();
  config.held_total = endpoint.held.total;
  config.is_deleted = endpoint.deleted_at.has_value();
  return config;
}

}  // namespace petrel::app
