#include "api/call.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> ping(Call&) { return json_response(204, ""); }

Result<net::HttpResponse> show_metrics(Call& call) {
  net::HttpResponse response = json_response(200, call.parts().metrics.registry().text());
  response.content_type = std::string(metric::Registry::kContentType);
  return response;
}

// A read of what is not there tells whether the store answers at all.
bool answers(store::Browse& browse) {
  const Result<model::Payload> payload = browse.payload(MessageId());
  return payload.ok() || payload.error().kind == ErrorKind::NotFound;
}

void health(const CallPtr& call) {
  call->browse([](store::Browse& browse) -> Result<net::HttpResponse> {
    const bool is_well = answers(browse);
    // Database and queue are one store here, and the cache is memory.
    return written(is_well ? 200 : 500, [&](JsonWriter& json) {
      json.begin_object();
      for (const std::string_view part : {"database", "queue"}) {
        json.key(part).begin_object().field("status", is_well ? "ok" : "error").end_object();
      }
      json.key("cache").begin_object().field("status", "ok").end_object().end_object();
    });
  });
}

}  // namespace

std::vector<Route> health_routes() {
  constexpr std::string_view kTag = "Health";
  return {
      {"GET",
       "/api/v1/health",
       Scope::Open,
       health,
       {.id = "v1.health.get",
        .summary = "Say whether the server is well",
        .tag = kTag,
        .response = "HealthOut"}},
      {"GET",
       "/api/v1/health/ping",
       Scope::Open,
       at_once(ping),
       {.id = "v1.health.ping",
        .summary = "Say that the server is there",
        .tag = kTag,
        .status = 204}},
      {"GET",
       "/metrics",
       Scope::Open,
       at_once(show_metrics),
       {.id = "v1.health.metrics",
        .summary = "Numbers for Prometheus",
        .tag = kTag,
        .media = "text/plain"}},
  };
}

}  // namespace petrel::api
