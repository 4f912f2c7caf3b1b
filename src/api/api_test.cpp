#include "api/api.h"

#include <gtest/gtest.h>

#include "api/api_world.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

TEST(Api, PingSaysThatItIsThere) {
  ApiWorld world;
  for (const char* target :
       {"/api/v1/health/ping", "/api/v1/health/ping/", "/api/v1/health/ping?now=1"}) {
    EXPECT_EQ(world.ask("GET", target, {.token = "none"}).status, 204) << target;
  }
  EXPECT_EQ(world.ask("HEAD", "/api/v1/health/ping", {.token = "none"}).status, 204);
}

TEST(Api, HealthSaysWhetherTheStoreAnswers) {
  ApiWorld world;
  const Reply reply = world.ask("GET", "/api/v1/health", {.token = "none"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            R"({"database":{"status":"ok"},"queue":{"status":"ok"},"cache":{"status":"ok"}})");
}

TEST(Api, MetricsAreOpenAndInTextForm) {
  ApiWorld world;
  world.make_message(world.make_application());
  const Reply reply = world.ask("GET", "/metrics", {.token = "none"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(reply.body.find("\npetrel_messages_accepted_total 1\n"), std::string::npos);
}

TEST(Api, AnUnknownRouteIsAJsonError) {
  ApiWorld world;
  for (const char* target : {"/nowhere", "", "api/v1/app", "/api/v1/app//endpoint"}) {
    const Reply reply = world.ask("GET", target);
    EXPECT_EQ(reply.status, 404) << target;
    EXPECT_EQ(reply.body, R"({"code":"not_found","detail":"there is no such route"})");
  }
}

TEST(Api, AWrongMethodIsToldWhichAreRight) {
  ApiWorld world;
  const Reply reply = world.ask("DELETE", "/api/v1/app");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("Allow"), "GET, HEAD, POST");
  EXPECT_EQ(reply.body,
            R"({"code":"method_not_allowed","detail":"this route takes GET, HEAD, POST"})");
}

TEST(Api, OverloadSaysWhenToComeBack) {
  const net::HttpResponse page = Api::error_page(503, "too many connections");
  EXPECT_EQ(page.headers.front().first, "Retry-After");
  EXPECT_EQ(page.body, R"({"code":"unavailable","detail":"too many connections"})");
}

TEST(Api, BrowsersMayCallFromAnywhere) {
  ApiWorld world;
  const Reply preflight =
      world.ask("OPTIONS", "/api/v1/app",
                {.token = "none",
                 .headers = {{"Origin", "https://portal.example"},
                             {"Access-Control-Request-Headers", "authorization,svix-req-id"}}});
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"),
            "GET, HEAD, POST, PUT, PATCH, DELETE");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Headers"), "authorization,svix-req-id");
  EXPECT_EQ(preflight.header("Access-Control-Max-Age"), "600");

  const net::HttpHeaders origin = {{"Origin", "https://portal.example"}};
  EXPECT_EQ(
      world.ask("GET", "/api/v1/app", {.headers = origin}).header("Access-Control-Allow-Origin"),
      "*");
  const Reply refused = world.ask("GET", "/api/v1/app", {.token = "none", .headers = origin});
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "*");
}

TEST(Api, EveryRouteButTheOpenOnesNeedsAToken) {
  ApiWorld world;
  int closed = 0;
  for (const Route& route : all_routes()) {
    const Reply reply =
        world.ask(std::string(route.method), std::string(route.pattern), {.token = "none"});
    if (route.scope == Scope::Open) {
      EXPECT_LT(reply.status, 400) << route.pattern;
    } else {
      EXPECT_EQ(reply.status, 401) << route.method << " " << route.pattern;
      EXPECT_EQ(reply.field("code"), "authentication_failed");
      ++closed;
    }
  }
  EXPECT_GE(closed, 14);
}

// The route's path with its parameters filled in.
std::string filled(std::string_view pattern,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::string path(pattern);
  for (const auto& [name, value] : values) {
    const std::size_t at = path.find("{" + name + "}");
    if (at != std::string::npos) path.replace(at, name.size() + 2, value);
  }
  EXPECT_EQ(path.find('{'), std::string::npos) << path;
  return path;
}

// One thing of each kind, and an application beside it. Made anew for each question: some of them
// delete what others ask for.
struct Tenants {
  Tenants() {
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(200);
    attempt = world.settle(endpoint, message, result);
  }

  std::string path(const Route& route, const std::string& app_id) const {
    return filled(route.pattern, {{"app_id", app_id},
                                  {"endpoint_id", endpoint},
                                  {"msg_id", message},
                                  {"attempt_id", attempt}});
  }

  ApiWorld world;
  const std::string application = world.make_application("ours");
  const std::string other_application = world.make_application("theirs");
  const std::string endpoint = world.make_endpoint(application, R"(,"uid":"ours")");
  const std::string message = world.make_message(application);
  std::string attempt;
};

TEST(Api, TenantsDoNotSeeEachOther) {
  const std::string body = R"({"name":"A","url":"https://example.com","eventType":"svix.ping",)"
                           R"("payload":{},"since":"2027-01-15T07:00:00Z"})";
  int walked = 0;
  for (const Route& route : all_routes()) {
    if (route.pattern.find("{app_id}") == std::string_view::npos) continue;
    for (const bool is_by_uid : {false, true}) {
      Tenants tenants;
      ApiWorld& world = tenants.world;
      const std::string path = tenants.path(route, is_by_uid ? "ours" : tenants.application);
      const std::string method(route.method);
      const OrganisationId stranger(world.maker.make(world.clock.now));
      EXPECT_EQ(world.ask(method, path, {.body = body, .token = world.organisation_token(stranger)})
                    .status,
                404)
          << method << " " << path;
      const std::string neighbour = world.application_token(tenants.other_application);
      EXPECT_EQ(world.ask(method, path, {.body = body, .token = neighbour}).status,
                route.scope == Scope::Application ? 404 : 403)
          << method << " " << path;
      EXPECT_LT(world.ask(method, path, {.body = body}).status, 300) << method << " " << path;
      ++walked;
    }
  }
  EXPECT_GE(walked, 40);
}

TEST(Api, AnApplicationOfOnesOwnIsNoWayToAnothersThings) {
  Tenants tenants;
  ApiWorld& world = tenants.world;
  const std::string theirs = "/api/v1/app/" + tenants.other_application;
  const auto& [endpoint, message] = std::pair(tenants.endpoint, tenants.message);
  for (const std::string& path :
       {"/endpoint/" + endpoint, std::string("/endpoint/ours"), "/endpoint/" + endpoint + "/secret",
        "/endpoint/" + endpoint + "/msg", "/msg/" + message, "/msg/" + message + "/endpoint",
        "/attempt/endpoint/" + endpoint, "/attempt/msg/" + message,
        "/msg/" + message + "/attempt/" + tenants.attempt, "/delivery/" + message + "/" + endpoint,
        "/delivery?endpoint_id=" + endpoint}) {
    EXPECT_EQ(world.ask("GET", theirs + path).status, 404) << path;
  }
  const OrganisationId stranger(world.maker.make(world.clock.now));
  EXPECT_EQ(world.ask("GET", "/api/v1/app", {.token = world.organisation_token(stranger)}).body,
            R"({"data":[],"iterator":null,"done":true})");
}

TEST(Api, AnApplicationsTokenDoesOnlyWhatAPortalNeeds) {
  ApiWorld world;
  const std::string application = world.make_application();
  const std::string token = world.application_token(application);
  const std::string root = "/api/v1/app/" + application;

  EXPECT_EQ(world.ask("GET", root, {.token = token}).status, 200);
  EXPECT_EQ(world.make_endpoint(application, "", token).substr(0, 3), "ep_");
  EXPECT_EQ(world.ask("GET", root + "/msg", {.token = token}).status, 200);

  const Reply refused = world.ask("POST", root + "/msg", {.body = "{}", .token = token});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body, R"({"code":"insufficient access",)"
                          R"("detail":"the token of an application may not do this"})");
  EXPECT_EQ(world.ask("GET", "/api/v1/app", {.token = token}).status, 403);
  EXPECT_EQ(world.ask("POST", "/api/v1/app", {.body = "{}", .token = token}).status, 403);
}

}  // namespace
}  // namespace petrel::api
