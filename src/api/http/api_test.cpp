#include "api/http/api.h"

#include <gtest/gtest.h>

#include "api/routes/routes.h"
#include "api/testing/api_world.h"

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
  for (const char* target : {"/api/nowhere", "", "api/v1/app", "/api/v1/app//endpoint"}) {
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

  // Whatever is answered: else a browser shows its page a bare failure.
  for (const char* path : {"/api/v1/none", "/in/none", "/api/v1/app/none", "/api/v1/app?limit=0"}) {
    const Reply reply = world.ask("GET", path, {.headers = origin});
    EXPECT_GE(reply.status, 400) << path;
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "*") << path;
  }
  EXPECT_EQ(
      world.ask("DELETE", "/api/v1/app", {.headers = origin}).header("Access-Control-Allow-Origin"),
      "*");
  const net::HttpResponse early = Api::error_page(413, "the body is too large");
  EXPECT_EQ(early.headers.back().first, "Access-Control-Allow-Origin");
}

TEST(Api, EveryRouteButTheOpenOnesNeedsAToken) {
  ApiWorld world;
  int closed = 0;
  for (const Route& route : all_routes()) {
    const Reply reply =
        world.ask(std::string(route.method), std::string(route.pattern), {.token = "none"});
    if (route.access.scope() == Access::Scope::Open) {
      EXPECT_LT(reply.status, 400) << route.pattern;
    } else {
      EXPECT_EQ(reply.status, 401) << route.method << " " << route.pattern;
      EXPECT_EQ(reply.field("code"), "authentication_failed");
      ++closed;
    }
  }
  EXPECT_GE(closed, 14);
}

TEST(Api, TwoAuthorizationHeadersAreRefused) {
  ApiWorld world;
  const std::string token = world.organisation_token(world.organisation);
  const net::HttpHeaders two = {{"Authorization", "Bearer " + token},
                                {"authorization", "Bearer " + token}};
  const Reply reply = world.ask("GET", "/api/v1/app", {.token = "none", .headers = two});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.field("detail"), "the request has more than one Authorization header");
}

TEST(Api, AFaultOfOursIsInTheLogByTheIdThatItsCallerGets) {
  ApiWorld world;
  const std::string application = world.make_application();
  world.store.is_unsure = true;
  world.log.lines.clear();
  const std::string target = "/api/v1/app/" + application + "/endpoint";
  const Ask ask{.body = R"({"url": "https://example.com"})"};
  const Reply reply = world.ask("POST", target + "?secret=sesame", ask);
  EXPECT_EQ(reply.status, 503);
  const std::string id = reply.header("X-Request-Id");
  EXPECT_EQ(id.substr(0, 4), "req_");
  EXPECT_EQ(world.log.lines.front(), "error request.failed: POST " + target +
                                         ": who knows  requestId=" + id +
                                         " status=503 appId=" + application);
  EXPECT_EQ(reply.body.find("who knows"), std::string::npos);
}

TEST(Api, ARequestKeepsTheIdThatItCameWithIfThatIsOne) {
  ApiWorld world;
  const std::string target = "/api/v1/app/" + world.make_application() + "/endpoint";
  world.store.is_unsure = true;
  const auto id_for = [&](const std::string& given) {
    const Ask ask{.body = R"({"url": "https://example.com"})",
                  .headers = {{"X-Request-Id", given}}};
    return world.ask("POST", target, ask).header("X-Request-Id");
  };
  EXPECT_EQ(id_for("abc-DEF_1.2"), "abc-DEF_1.2");
  EXPECT_EQ(id_for("two words").substr(0, 4), "req_");
  EXPECT_EQ(id_for(std::string(65, 'a')).substr(0, 4), "req_");
}

TEST(Api, WhatACallerDidWrongIsNotInTheLog) {
  ApiWorld world;
  world.log.lines.clear();
  const Reply reply = world.ask("GET", "/api/v1/app/app_1");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.header("X-Request-Id"), "");
  EXPECT_TRUE(world.log.lines.empty());
}

TEST(Api, HealthSaysWhatIsWrong) {
  ApiWorld world;
  EXPECT_EQ(world.ask("GET", "/api/v1/health", {.token = "none"}).body,
            R"({"database":{"status":"ok"},"queue":{"status":"ok"},"cache":{"status":"ok"},)"
            R"("problems":[]})");
  world.server_health = {.store_is_well = true,
                         .loops_are_well = false,
                         .problems = {"shard-1 has not turned for 7 s"}};
  const Reply reply = world.ask("GET", "/api/v1/health", {.token = "none"});
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body,
            R"({"database":{"status":"ok"},"queue":{"status":"error"},"cache":{"status":"ok"},)"
            R"("problems":["shard-1 has not turned for 7 s"]})");
  EXPECT_EQ(world.ask("GET", "/api/v1/health/ping", {.token = "none"}).status, 204);
  EXPECT_TRUE(world.order.empty()) << "health must not wait for the thread that reads";
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
