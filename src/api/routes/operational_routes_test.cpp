#include <gtest/gtest.h>

#include "api/testing/api_world.h"
#include "model/operational_application.h"

namespace petrel::api {
namespace {

constexpr const char* kAll = "/api/v1/operational-webhook/endpoint";

struct OperationalRoutesTest : testing::Test {
  Reply create(const std::string& fields = "") {
    return world.ask("POST", kAll, {.body = R"({"url":"https://example.com/ops")" + fields + "}"});
  }

  std::string one(const Reply& made, const std::string& rest = "") const {
    return std::string(kAll) + "/" + made.field("id") + rest;
  }

  // The id that the organisation's notices go through, as text.
  std::string hidden() const { return model::operational_application(world.organisation).text(); }

  ApiWorld world;
};

TEST_F(OperationalRoutesTest, AnEndpointIsMadeShownReplacedAndDeleted) {
  const Reply made = create(R"(,"uid":"ops","eventTypes":["endpoint.created"])");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(world.ask("GET", one(made)).body, made.body);
  EXPECT_EQ(world.ask("GET", std::string(kAll) + "/ops").body, made.body);

  const Reply replaced =
      world.ask("PUT", one(made), {.body = R"({"url":"https://example.com/other"})"});
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(replaced.field("url"), "https://example.com/other");
  EXPECT_EQ(replaced.field("id"), made.field("id"));

  EXPECT_EQ(world.ask("DELETE", one(made)).status, 204);
  EXPECT_EQ(world.ask("GET", one(made)).status, 404);
  EXPECT_EQ(world.ask("GET", kAll).body, R"({"data":[],"iterator":null,"done":true})");
}

TEST_F(OperationalRoutesTest, OnlyNoticesCanBeAskedFor) {
  // What the organisation describes for its own messages is another matter.
  world.ask("POST", "/api/v1/event-type", {.body = R"({"name":"order.paid","description":"d"})"});

  EXPECT_EQ(create(R"(,"filterTypes":["message.attempt.recovered"])").status, 201);
  const Reply refused = create(R"(,"eventTypes":["endpoint.created","order.paid"])");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"("loc":["body","eventTypes","[1]"])"), std::string::npos)
      << refused.body;
}

TEST_F(OperationalRoutesTest, ChannelsWouldKeepEveryNoticeAway) {
  const Reply refused = create(R"(,"channels":["a"])");

  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"("loc":["body","channels"])"), std::string::npos) << refused.body;
}

TEST_F(OperationalRoutesTest, AnEndpointThatTheServerPausedCanBeResumed) {
  const Reply made = create();
  const auto pause = [now = world.clock.now](model::Endpoint& endpoint) {
    endpoint.pause = model::Pause{now, "the receiver answered 410"};
    return Status(Done{});
  };
  bool is_paused = false;
  world.changes().edit(*EndpointId::parse(made.field("id")), pause,
                       [&](const Status& done) { is_paused = done.ok(); });
  world.ask("GET", kAll);
  ASSERT_TRUE(is_paused);
  EXPECT_EQ(world.ask("GET", one(made)).field("pause"), "an object");

  EXPECT_EQ(world.ask("POST", one(made, "/resume")).field("pause"), "null");
}

TEST_F(OperationalRoutesTest, AnApplicationsTokenGetsNowhere) {
  const std::string token = world.application_token(world.make_application());

  EXPECT_EQ(world.ask("GET", kAll, {.token = token}).status, 403);
}

TEST_F(OperationalRoutesTest, TheirApplicationIsNotThere) {
  const Reply made = create();

  EXPECT_EQ(world.ask("GET", "/api/v1/app").body, R"({"data":[],"iterator":null,"done":true})");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/" + hidden()).status, 404);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/" + hidden()).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/" + hidden() + "/endpoint").status, 404);
  EXPECT_EQ(world.ask("POST", "/api/v1/auth/app-portal-access/" + hidden()).status, 404);
  EXPECT_EQ(world.ask("GET", kAll, {.token = world.application_token(hidden())}).status, 401);
  EXPECT_EQ(world.ask("GET", one(made)).status, 200);
}

TEST_F(OperationalRoutesTest, NobodyCanNameAnApplicationLikeIt) {
  const Reply refused =
      world.ask("POST", "/api/v1/app", {.body = R"({"name":"A","uid":")" + hidden() + "\"}"});

  EXPECT_EQ(refused.status, 422) << refused.body;
}

}  // namespace
}  // namespace petrel::api
