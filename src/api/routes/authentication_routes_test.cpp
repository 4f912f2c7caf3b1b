#include <gtest/gtest.h>

#include "api/routes/routes.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct AuthenticationRoutes : testing::Test {
  Reply open_portal(const std::string& body, const std::string& name = "acme") {
    return world.ask("POST", "/api/v1/auth/app-portal-access/" + name, {.body = body});
  }
  int status(const char* method, const std::string& path, const std::string& token) {
    return world.ask(method, path, {.body = R"({"url":"https://example.com"})", .token = token})
        .status;
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string root = "/api/v1/app/" + application;
};

TEST_F(AuthenticationRoutes, APortalGetsAnAddressAndATokenForItsApplication) {
  const Reply portal = open_portal("{}");
  ASSERT_EQ(portal.status, 200) << portal.body;
  EXPECT_EQ(portal.field("url"), "https://hooks.example/");
  const std::string token = portal.field("token");
  EXPECT_EQ(status("GET", root, token), 200);
  EXPECT_EQ(status("POST", root + "/endpoint", token), 201);
  EXPECT_EQ(status("GET", "/api/v1/app", token), 403);
  EXPECT_EQ(status("POST", "/api/v1/auth/app-portal-access/acme", token), 403);

  world.advance(std::chrono::days(7) + kTokenLeeway - std::chrono::seconds(1));
  EXPECT_EQ(status("GET", root, token), 200);
  world.advance(std::chrono::seconds(1));
  EXPECT_EQ(status("GET", root, token), 401);
}

TEST_F(AuthenticationRoutes, TheOldNameWorksWithoutABody) {
  const Reply portal = world.ask("POST", "/api/v1/auth/dashboard-access/acme");
  EXPECT_EQ(portal.status, 200);
  EXPECT_EQ(status("GET", root, portal.field("token")), 200);
}

TEST_F(AuthenticationRoutes, AnApplicationIsMadeOnTheWay) {
  EXPECT_EQ(open_portal("{}", "new").status, 404);
  const std::string body = R"({"application":{"name":"New","uid":"new"}})";
  const Reply first = open_portal(body, "new");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(status("GET", "/api/v1/app/new", first.field("token")), 200);
  EXPECT_EQ(open_portal(body, "new").status, 200);
  EXPECT_EQ(world.catalogue.applications_of(world.organisation).size(), 2U);

  const std::vector<Reply> replies =
      world.ask_at_once({{"POST", "/api/v1/auth/app-portal-access/two",
                          R"({"application":{"name":"2","uid":"two"}})"},
                         {"POST", "/api/v1/auth/app-portal-access/two",
                          R"({"application":{"name":"2","uid":"two"}})"}});
  EXPECT_EQ(replies[0].status, 200);
  EXPECT_EQ(replies[1].status, 200) << replies[1].body;
  EXPECT_EQ(world.catalogue.applications_of(world.organisation).size(), 3U);

  const Reply missing = open_portal(R"({"application":{"name":"New"}})", "other");
  EXPECT_EQ(missing.status, 422);
  EXPECT_NE(missing.body.find(R"("type":"application_uid_missing")"), std::string::npos);
  const Reply mismatch = open_portal(R"({"application":{"name":"New","uid":"x"}})", "other");
  EXPECT_EQ(mismatch.status, 422);
  EXPECT_NE(mismatch.body.find(R"("type":"application_uid_mismatch")"), std::string::npos);
}

TEST_F(AuthenticationRoutes, CapabilitiesLimitWhatATokenMayDo) {
  const std::string endpoint = root + "/endpoint/" + world.make_endpoint(application);
  const auto token = [&](const std::string& capabilities) {
    return open_portal(R"({"capabilities":["ViewBase")" + capabilities + "]}").field("token");
  };
  struct Row {
    std::string capabilities;
    int secret, rotate, patch;
  };
  for (const Row& row : std::vector<Row>{{"", 403, 403, 403},
                                         {R"(,"ViewEndpointSecret")", 200, 403, 403},
                                         {R"(,"ManageEndpointSecret")", 200, 200, 403},
                                         {R"(,"CreateAttempts")", 403, 403, 403},
                                         {R"(,"ManageEndpoint")", 200, 200, 200}}) {
    const std::string with = token(row.capabilities);
    EXPECT_EQ(status("GET", endpoint, with), 200) << row.capabilities;
    EXPECT_EQ(status("GET", endpoint + "/secret", with), row.secret) << row.capabilities;
    EXPECT_EQ(status("POST", endpoint + "/secret/rotate", with), row.rotate) << row.capabilities;
    EXPECT_EQ(status("PATCH", endpoint, with), row.patch) << row.capabilities;
    EXPECT_EQ(status("PUT", endpoint + "/headers", with), row.patch == 403 ? 403 : 422);
  }
  const std::string read_only = open_portal(R"({"readOnly":true})").field("token");
  EXPECT_EQ(status("DELETE", endpoint, read_only), 403);
  const Reply refused = world.ask("DELETE", endpoint, {.token = read_only});
  EXPECT_EQ(refused.field("detail"), "the token is without the capability ManageEndpoint");
}

TEST_F(AuthenticationRoutes, EveryGoodTokenCanBeGivenUp) {
  Caller caller{.organisation = world.organisation,
                .application = *ApplicationId::parse(application)};
  caller.capabilities = Capabilities();
  const std::string bare = world.token_of(caller);
  EXPECT_EQ(status("GET", root, bare), 403);
  EXPECT_EQ(status("POST", "/api/v1/auth/logout", bare), 204);
  EXPECT_EQ(status("POST", "/api/v1/auth/logout", bare), 401);
}

TEST_F(AuthenticationRoutes, BadInputNamesTheField) {
  for (const auto& [body, loc] : std::vector<std::pair<std::string, std::string>>{
           {R"({"expiry":60})", R"(["body","expiry"])"},
           {R"({"expiry":604801})", R"(["body","expiry"])"},
           {R"({"capabilities":["CreateAttempts"]})", R"(["body","capabilities"])"},
           {R"({"capabilities":["ViewBase","Fly"]})", R"(["body","capabilities","[1]"])"},
           {R"({"featureFlags":["a b"]})", R"(["body","featureFlags","[0]"])"}}) {
    const Reply reply = open_portal(body);
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_NE(reply.body.find(R"("loc":)" + loc), std::string::npos) << reply.body;
  }
  std::string flags = "\"f0\"";
  for (int i = 0; i < 60; ++i) flags += ",\"" + std::string(200, 'f') + std::to_string(i) + "\"";
  EXPECT_EQ(open_portal(R"({"featureFlags":[)" + flags + "]}").status, 422);
}

TEST_F(AuthenticationRoutes, ATokenThatLoggedOutIsGoodForNothing) {
  const std::string token = open_portal("{}").field("token");
  world.advance(std::chrono::seconds(1));
  const std::string other = open_portal("{}").field("token");
  EXPECT_EQ(world.ask("POST", "/api/v1/auth/logout", {.token = token}).status, 204);
  EXPECT_EQ(status("GET", root, token), 401);
  EXPECT_EQ(world.ask("POST", "/api/v1/auth/logout", {.token = token}).status, 401);
  EXPECT_EQ(status("GET", root, other), 200);

  // Also for a node that starts from what is stored.
  node::RevokedTokens restarted;
  ASSERT_TRUE(restarted.load(world.store).ok());
  EXPECT_TRUE(restarted.contains(token));
  EXPECT_FALSE(restarted.contains(other));
  restarted.prune(world.clock.now + std::chrono::days(8));
  EXPECT_FALSE(restarted.contains(token));
}

TEST_F(AuthenticationRoutes, AllTokensOfAnApplicationExpireAtOnce) {
  const std::string before = open_portal("{}").field("token");
  const std::string neighbour = world.application_token(world.make_application());
  world.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(world.ask("POST", "/api/v1/auth/app/acme/expire-all").status, 204);
  EXPECT_EQ(status("GET", root, before), 401);
  EXPECT_EQ(world.ask("GET", root).status, 200);  // The organisation's own.
  EXPECT_EQ(status("GET", "/api/v1/event-type", neighbour), 200);

  // One that is made in the same second, but after.
  EXPECT_EQ(status("GET", root, open_portal("{}").field("token")), 200);

  EXPECT_EQ(
      world.ask("POST", "/api/v1/auth/app/acme/expire-all", {.body = R"({"expiry":60})"}).status,
      422);
  EXPECT_EQ(
      world.ask("POST", "/api/v1/auth/app/acme/expire-all", {.body = R"({"sessionIds":["a"]})"})
          .status,
      422);
}

TEST_F(AuthenticationRoutes, TheTokenOfADeletedApplicationIsGoodForNothing) {
  const std::string token = world.application_token(application);
  EXPECT_EQ(world.ask("DELETE", root).status, 204);
  EXPECT_EQ(status("GET", root, token), 401);
  EXPECT_EQ(status("GET", "/api/v1/event-type", token), 401);
}

}  // namespace
}  // namespace petrel::api
