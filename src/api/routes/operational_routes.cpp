// The endpoints that get the server's own notices: the routes of endpoints, for an application that
// every organisation has and that is never shown.

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "api/http/call.h"
#include "api/routes/routes.h"
#include "base/check.h"
#include "model/operational_application.h"

namespace petrel::api {
namespace {

constexpr std::string_view kAll = "/api/v1/operational-webhook/endpoint";
constexpr std::string_view kOne = "/api/v1/operational-webhook/endpoint/{endpoint_id}";
constexpr std::string_view kSecret = "/api/v1/operational-webhook/endpoint/{endpoint_id}/secret";
constexpr std::string_view kRotate =
    "/api/v1/operational-webhook/endpoint/{endpoint_id}/secret/rotate";
constexpr std::string_view kHeaders = "/api/v1/operational-webhook/endpoint/{endpoint_id}/headers";
constexpr std::string_view kHealth = "/api/v1/operational-webhook/endpoint/{endpoint_id}/health";
constexpr std::string_view kPause = "/api/v1/operational-webhook/endpoint/{endpoint_id}/pause";
constexpr std::string_view kResume = "/api/v1/operational-webhook/endpoint/{endpoint_id}/resume";
constexpr std::string_view kAttempts = "/api/v1/operational-webhook/endpoint/{endpoint_id}/attempt";

// A route that does for operational endpoints what another does for an application's.
struct Twin {
  std::string_view of;  // The id of the other.
  std::string_view pattern;
  std::string_view id;
  std::string_view summary;
};

constexpr std::array kTwins = {
    Twin{"v1.endpoint.list", kAll, "v1.operational-webhook.endpoint.list",
         "List the endpoints for notices"},
    Twin{"v1.endpoint.create", kAll, "v1.operational-webhook.endpoint.create",
         "Create an endpoint for notices"},
    Twin{"v1.endpoint.get", kOne, "v1.operational-webhook.endpoint.get",
         "Get an endpoint for notices"},
    Twin{"v1.endpoint.update", kOne, "v1.operational-webhook.endpoint.update",
         "Make or replace an endpoint for notices"},
    Twin{"v1.endpoint.delete", kOne, "v1.operational-webhook.endpoint.delete",
         "Delete an endpoint for notices"},
    Twin{"v1.endpoint.get-secret", kSecret, "v1.operational-webhook.endpoint.get-secret",
         "Get the secret that notices are verified with"},
    Twin{"v1.endpoint.rotate-secret", kRotate, "v1.operational-webhook.endpoint.rotate-secret",
         "Rotate the secret of an endpoint for notices"},
    Twin{"v1.endpoint.get-headers", kHeaders, "v1.operational-webhook.endpoint.get-headers",
         "Get the headers that go with notices"},
    Twin{"v1.endpoint.update-headers", kHeaders, "v1.operational-webhook.endpoint.update-headers",
         "Replace the headers that go with notices"},
    Twin{"v1.endpoint.get-health", kHealth, "v1.operational-webhook.endpoint.get-health",
         "See how an endpoint for notices does"},
    Twin{"v1.endpoint.pause", kPause, "v1.operational-webhook.endpoint.pause",
         "Pause an endpoint for notices: they are kept"},
    Twin{"v1.endpoint.resume", kResume, "v1.operational-webhook.endpoint.resume",
         "Resume a paused endpoint for notices, gently"},
    Twin{"v1.message-attempt.list-by-endpoint", kAttempts,
         "v1.operational-webhook.endpoint.list-attempts",
         "List the attempts to deliver notices to an endpoint"},
};

std::vector<Route> originals() {
  std::vector<Route> all;
  for (std::vector<Route> routes : {endpoint_routes(), endpoint_secret_routes(),
                                    endpoint_header_routes(), control_routes(), attempt_routes()}) {
    std::move(routes.begin(), routes.end(), std::back_inserter(all));
  }
  return all;
}

store::ApplicationPtr application_of(OrganisationId organisation) {
  model::Application application;
  application.id = model::operational_application(organisation);
  application.organisation = organisation;
  return std::make_shared<const model::Application>(std::move(application));
}

}  // namespace

std::vector<Route> operational_routes() {
  const std::vector<Route> known = originals();
  std::vector<Route> routes;
  for (const Twin& twin : kTwins) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Route& route) { return route.about.id == twin.of; });
    CHECK(found != known.end());  // Ours: both tables are a part of the program.
    Route route = *found;
    route.pattern = twin.pattern;
    route.access = kOrganisation;
    route.serve = [serve = found->serve](const CallPtr& call) {
      call->application = application_of(call->caller.organisation);
      return serve(call);
    };
    route.about.id = twin.id;
    route.about.summary = twin.summary;
    route.about.tag = "Operational webhook";
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace petrel::api
