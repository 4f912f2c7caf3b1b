// Who may call which route: the whole table, as every kind of token finds it.

#include <map>
#include <set>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "api/routes/routes.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

// Each kind of caller, by a letter: without a token, organisation, application, a portal with one
// capability (the first letter that tells them apart), and a portal with none.
constexpr std::string_view kCallers = "*oaVSMTCE-";

// Routes by the callers that they admit. A new route has its place here too: a slip in its own
// table would be a hole.
const std::map<std::string, std::set<std::string>> kTable = {
    {"o",
     {
         "GET /api/v1/app",
         "POST /api/v1/app",
         "DELETE /api/v1/app/{app_id}",
         "PATCH /api/v1/app/{app_id}",
         "PUT /api/v1/app/{app_id}",
         "POST /api/v1/app/{app_id}/delivery/{msg_id}/{endpoint_id}/release",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/send-example",
         "POST /api/v1/app/{app_id}/msg",
         "POST /api/v1/app/{app_id}/msg/bulk-expunge",
         "POST /api/v1/app/{app_id}/msg/expunge-all-contents",
         "POST /api/v1/app/{app_id}/msg/precheck/active",
         "DELETE /api/v1/app/{app_id}/msg/{msg_id}/attempt/{attempt_id}/content",
         "DELETE /api/v1/app/{app_id}/msg/{msg_id}/content",
         "POST /api/v1/auth/app-portal-access/{app_id}",
         "POST /api/v1/auth/app/{app_id}/expire-all",
         "POST /api/v1/auth/dashboard-access/{app_id}",
         "GET /api/v1/background-task",
         "GET /api/v1/background-task/{task_id}",
         "POST /api/v1/background-task/{task_id}/cancel",
         "POST /api/v1/background-task/{task_id}/pause",
         "POST /api/v1/background-task/{task_id}/resume",
         "GET /api/v1/dead-letter",
         "GET /api/v1/dead-letter/count",
         "POST /api/v1/event-type",
         "DELETE /api/v1/event-type/{event_type_name}",
         "PATCH /api/v1/event-type/{event_type_name}",
         "PUT /api/v1/event-type/{event_type_name}",
         "GET /api/v1/operational-webhook/endpoint",
         "POST /api/v1/operational-webhook/endpoint",
         "DELETE /api/v1/operational-webhook/endpoint/{endpoint_id}",
         "GET /api/v1/operational-webhook/endpoint/{endpoint_id}",
         "PUT /api/v1/operational-webhook/endpoint/{endpoint_id}",
         "GET /api/v1/operational-webhook/endpoint/{endpoint_id}/attempt",
         "GET /api/v1/operational-webhook/endpoint/{endpoint_id}/headers",
         "PUT /api/v1/operational-webhook/endpoint/{endpoint_id}/headers",
         "GET /api/v1/operational-webhook/endpoint/{endpoint_id}/health",
         "POST /api/v1/operational-webhook/endpoint/{endpoint_id}/pause",
         "POST /api/v1/operational-webhook/endpoint/{endpoint_id}/resume",
         "GET /api/v1/operational-webhook/endpoint/{endpoint_id}/secret",
         "POST /api/v1/operational-webhook/endpoint/{endpoint_id}/secret/rotate",
         "POST /api/v1/stats/usage/app",
         "PUT /api/v1/stats/usage/event-types",
     }},
    {"oaC",
     {
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/bulk-replay",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/recover",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/replay-missing",
         "POST /api/v1/app/{app_id}/msg/{msg_id}/endpoint/{endpoint_id}/resend",
         "POST /api/v1/app/{app_id}/replay",
     }},
    {"oaE",
     {
         "POST /api/v1/app/{app_id}/background-task/{task_id}/cancel",
         "POST /api/v1/app/{app_id}/background-task/{task_id}/pause",
         "POST /api/v1/app/{app_id}/background-task/{task_id}/resume",
         "POST /api/v1/app/{app_id}/dead-letter/discard",
         "DELETE /api/v1/app/{app_id}/dead-letter/{msg_id}/{endpoint_id}",
         "POST /api/v1/app/{app_id}/endpoint",
         "DELETE /api/v1/app/{app_id}/endpoint/{endpoint_id}",
         "PATCH /api/v1/app/{app_id}/endpoint/{endpoint_id}",
         "PUT /api/v1/app/{app_id}/endpoint/{endpoint_id}",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/close",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/probe",
         "PATCH /api/v1/app/{app_id}/endpoint/{endpoint_id}/headers",
         "PUT /api/v1/app/{app_id}/endpoint/{endpoint_id}/headers",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/pause",
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/resume",
         "POST /api/v1/retry-policy/preview",
     }},
    {"oaV",
     {
         "GET /api/v1/app/{app_id}",
         "GET /api/v1/app/{app_id}/attempt/endpoint/{endpoint_id}",
         "GET /api/v1/app/{app_id}/attempt/msg/{msg_id}",
         "GET /api/v1/app/{app_id}/background-task",
         "GET /api/v1/app/{app_id}/background-task/{task_id}",
         "GET /api/v1/app/{app_id}/dead-letter",
         "GET /api/v1/app/{app_id}/dead-letter/count",
         "GET /api/v1/app/{app_id}/delivery",
         "GET /api/v1/app/{app_id}/delivery/{msg_id}/{endpoint_id}",
         "GET /api/v1/app/{app_id}/endpoint",
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}",
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/headers",
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/health",
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/msg",
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/stats",
         "GET /api/v1/app/{app_id}/msg",
         "GET /api/v1/app/{app_id}/msg/{msg_id}",
         "GET /api/v1/app/{app_id}/msg/{msg_id}/attempt",
         "GET /api/v1/app/{app_id}/msg/{msg_id}/attempt/{attempt_id}",
         "GET /api/v1/app/{app_id}/msg/{msg_id}/endpoint",
         "GET /api/v1/app/{app_id}/msg/{msg_id}/endpoint/{endpoint_id}/attempt",
         "GET /api/v1/app/{app_id}/storage",
         "GET /api/v1/event-type",
         "GET /api/v1/event-type/{event_type_name}",
         "GET /api/v1/retry-policy",
         "GET /api/v1/retry-policy/{name}",
     }},
    {"oaME",
     {
         "POST /api/v1/app/{app_id}/endpoint/{endpoint_id}/secret/rotate",
     }},
    {"oaSME",
     {
         "GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/secret",
     }},
    {"oaVSMTCE-",
     {
         "POST /api/v1/auth/logout",
     }},
    {"*oaVSMTCE-",
     {
         "GET /api/v1/health",
         "GET /api/v1/health/live",
         "GET /api/v1/health/ping",
         "GET /api/v1/health/ready",
         "GET /api/v1/openapi.json",
         "GET /docs",
         "GET /metrics",
     }},
};

std::string token_for(char caller, ApiWorld& world, const std::string& application) {
  if (caller == '*') return "none";
  if (caller == 'o') return world.organisation_token(world.organisation);
  if (caller == 'a') return world.application_token(application);  // Not limited.
  Caller portal{.organisation = world.organisation,
                .application = *ApplicationId::parse(application),
                .capabilities = Capabilities()};
  static const std::map<char, Capability> one = {
      {'V', Capability::ViewBase},
      {'S', Capability::ViewEndpointSecret},
      {'M', Capability::ManageEndpointSecret},
      {'T', Capability::ManageTransformations},
      {'C', Capability::CreateAttempts},
      {'E', Capability::ManageEndpoint},
  };
  if (caller != '-') portal.capabilities->add(one.at(caller));  // '-': without any.
  return world.token_of(portal);
}

// The callers that get past the door; the others are told why not.
std::string admitted(const Route& route) {
  std::string letters;
  for (const char caller : kCallers) {
    ApiWorld world;
    const std::string application = world.make_application();
    std::string path(route.pattern);
    const std::size_t brace = path.find("{app_id}");
    if (brace != std::string::npos) path.replace(brace, 8, application);
    const std::string token = token_for(caller, world, application);
    const Reply reply = world.ask(std::string(route.method), path, {.token = token});
    const bool is_refused = reply.status == 401 || reply.status == 403;
    if (!is_refused) letters += caller;
    EXPECT_EQ(reply.status == 401, is_refused && caller == '*') << route.pattern;
  }
  return letters;
}

TEST(Access, IsAsTheTableHasIt) {
  std::map<std::string, std::set<std::string>> found;
  for (const Route& route : all_routes()) {
    found[admitted(route)].insert(std::string(route.method) + " " + std::string(route.pattern));
  }
  EXPECT_EQ(found, kTable);
}

TEST(Access, HasNoDefault) {
  EXPECT_FALSE(std::is_default_constructible_v<Access>);
  EXPECT_FALSE(std::is_default_constructible_v<Route>);
}

}  // namespace
}  // namespace petrel::api
