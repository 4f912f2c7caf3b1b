#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

constexpr std::string_view kRange =
    R"("since":"2027-01-15T07:00:00Z","until":"2027-01-15T09:00:00Z")";

struct UsageStatsRoutes : testing::Test {
  Reply count(const std::string& more = "") {
    return world.ask("POST", "/api/v1/stats/usage/app",
                     {.body = "{" + std::string(kRange) + more + "}"});
  }

  model::Task stored(const Reply& reply) {
    EXPECT_EQ(reply.status, 202) << reply.body;
    return world.store.task(world.organisation, *TaskId::parse(reply.field("id"))).value();
  }

  ApiWorld world;
  const std::string acme = world.make_application("acme");
  const std::string globex = world.make_application("globex");
};

TEST_F(UsageStatsRoutes, ATaskCountsForTheApplicationsThatAreNamed) {
  const Reply reply = count(R"(,"appIds":["acme","nobody",")" + acme + "\"]");

  EXPECT_EQ(reply.field("task"), "application.stats");
  EXPECT_NE(reply.body.find(R"("unresolvedAppIds":["nobody"])"), std::string::npos);
  const model::Task task = stored(reply);
  EXPECT_EQ(task.selection.applications, std::vector{*ApplicationId::parse(acme)});
  EXPECT_EQ(task.selection.until, world.clock.now + std::chrono::hours(1));
  EXPECT_EQ(world.tasks.woken, std::vector{task.id});
}

TEST_F(UsageStatsRoutes, ItCountsForAllUnlessSomeAreNamed) {
  EXPECT_EQ(stored(count()).selection.applications.size(), 2U);
}

TEST_F(UsageStatsRoutes, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(count(R"(,"appIds":["nobody"])").status, 422);
  EXPECT_EQ(world.ask("POST", "/api/v1/stats/usage/app", {.body = "{}"}).status, 422);
  EXPECT_EQ(
      world.ask("POST", "/api/v1/stats/usage/app", {.body = R"({"since":"2027-01-15T07:00:00Z"})"})
          .status,
      422);
}

TEST_F(UsageStatsRoutes, TheWishesOfEndpointsAreListedAtOnce) {
  world.make_endpoint("acme", R"(,"eventTypes":["b","a"])");
  world.make_endpoint("acme", R"(,"eventTypes":["a"])");
  world.make_endpoint("globex");

  const Reply reply = world.ask("PUT", "/api/v1/stats/usage/event-types");

  EXPECT_EQ(reply.field("status"), "finished");
  EXPECT_EQ(stored(reply).data,
            R"({"event_types":[{"appId":")" + acme +
                R"(","appUid":"acme","explicitlySubscribedEventTypes":["a","b"],)"
                R"("hasCatchAllEndpoint":false},{"appId":")" +
                globex +
                R"(","appUid":"globex","explicitlySubscribedEventTypes":[],)"
                R"("hasCatchAllEndpoint":true}]})");
}

}  // namespace
}  // namespace petrel::api
