// How the server is: for load balancers and for Prometheus.

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/routes/routes.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> ping(Call&) { return json_response(204, ""); }

Result<net::HttpResponse> show_metrics(Call& call) {
  if (auto refusal = call.context->settings.metrics.refusal(call.request)) {
    return *std::move(refusal);
  }
  net::HttpResponse response = json_response(200, call.services().metrics.registry().text());
  response.content_type = std::string(metric::Registry::kContentType);
  return response;
}

std::string_view word_of(bool is_well) { return is_well ? "ok" : "error"; }

// The three names are those that client libraries know: the store is database and queue in one.
net::HttpResponse shown(const ServerHealth& health) {
  return json_body(health.is_well() ? 200 : 503, [&](JsonWriter& json) {
    json.begin_object();
    json.key("database").begin_object().field("status", word_of(health.store_is_well)).end_object();
    json.key("queue").begin_object().field("status", word_of(health.is_well())).end_object();
    json.key("cache").begin_object().field("status", "ok").end_object();
    json.key("problems").begin_array();
    for (const std::string& problem : health.problems) json.value(problem);
    json.end_array().end_object();
  });
}

net::HttpResponse state_of(bool is_well, const std::vector<std::string>& problems) {
  return json_body(is_well ? 200 : 503, [&](JsonWriter& json) {
    json.begin_object().field("status", word_of(is_well)).key("problems").begin_array();
    for (const std::string& problem : problems) json.value(problem);
    json.end_array().end_object();
  });
}

// It has nothing to do with the store: a disk that is full is no reason to be started anew.
Result<net::HttpResponse> live(Call& call) {
  const LateLoops& late_loops = call.context->settings.late_loops;
  const std::vector<std::string> late = late_loops ? late_loops() : std::vector<std::string>();
  return state_of(late.empty(), late);
}

Status ready(const CallPtr& call) {
  call->context->settings.ask_health([call](const ServerHealth& health) {
    call->answer(state_of(health.is_well(), health.problems));
  });
  return Done{};
}

Status health(const CallPtr& call) {
  call->context->settings.ask_health(
      [call](const ServerHealth& health) { call->answer(shown(health)); });
  return Done{};
}

}  // namespace

std::vector<Route> health_routes() {
  RouteTable table("Health");
  table.add("GET", "/api/v1/health", {kOpen, health},
            {"v1.health.get", "Say whether the server takes messages and delivers them"},
            {.response = "HealthOut"});
  table.add("GET", "/api/v1/health/ping", {kOpen, sync_route(ping)},
            {"v1.health.ping", "Say that the server is there"}, {.status = 204});
  table.add("GET", "/api/v1/health/live", {kOpen, sync_route(live)},
            {"v1.health.live", "Say whether the server has to be started anew"},
            {.response = "StateOut"});
  table.add("GET", "/api/v1/health/ready", {kOpen, ready},
            {"v1.health.ready", "Say whether the server can take requests now"},
            {.response = "StateOut"});
  table.add("GET", "/metrics", {kOpen, sync_route(show_metrics)},
            {"v1.health.metrics", "Numbers for Prometheus"}, {.media = "text/plain"});
  return table.take();
}

}  // namespace petrel::api
