// lane_config() resolves what the engine needs to know of an endpoint: its own settings, else its
// application's, else the server's.

#pragma once

#include <memory>

#include "base/time.h"
#include "engine/lane_state.h"
#include "model/application.h"
#include "model/endpoint.h"
#include "policy/guards.h"
#include "policy/retry_policy.h"

namespace petrel::node {

struct LaneDefaults {
  policy::RetryPolicy retry_policy;
  Duration timeout = std::chrono::seconds(15);
  int in_flight_max = 10;
  policy::Guards guards = {};
};

// Who shares it shares a cap. What is no URL, which an old record may hold, is its own authority.
std::string authority_of(const std::string& url);

int in_flight_max_of(const model::Endpoint& endpoint, const model::Application* application,
                     const LaneDefaults& defaults);

engine::LaneConfig lane_config(const model::EndpointPtr& endpoint,
                               const model::Application* application, const LaneDefaults& defaults);

}  // namespace petrel::node
