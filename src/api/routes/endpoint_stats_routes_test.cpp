#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct EndpointStatsRoutes : testing::Test {
  std::string stats(const std::string& query = "") {
    return world.ask("GET", "/api/v1/app/acme/endpoint/e1/stats" + query).body;
  }

  void attempt(const std::string& message, int status) {
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(status);
    world.settle(endpoint, message, result);
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1")");
};

TEST_F(EndpointStatsRoutes, AttemptsAreCountedInTheRangeAndDeliveriesAsTheyAreNow) {
  const std::string tried = world.make_message("acme");
  attempt(tried, 500);
  attempt(tried, 200);
  world.advance(std::chrono::hours(2));
  attempt(tried, 503);
  world.make_message("acme");
  const std::string ended = world.make_message("acme");
  world.end(endpoint, ended, model::DeliveryState::Dead, policy::DeadReason::Cancelled);

  EXPECT_EQ(stats(), R"({"success":1,"fail":2,"pending":1,"sending":1,"canceled":1})");
  EXPECT_EQ(stats("?since=2027-01-15T09:00:00Z"),
            R"({"success":0,"fail":1,"pending":1,"sending":1,"canceled":1})");
  EXPECT_EQ(stats("?since=2027-01-15T07:00:00Z&until=2027-01-15T09:00:00Z"),
            R"({"success":1,"fail":1,"pending":1,"sending":1,"canceled":1})");
}

TEST_F(EndpointStatsRoutes, TheRangeIsAtMost28DaysAndNotInTheFuture) {
  const auto code = [&](const std::string& query) {
    const Reply reply = world.ask("GET", "/api/v1/app/acme/endpoint/e1/stats" + query);
    return reply.status == 200 ? std::string("fine") : reply.field("code");
  };
  EXPECT_EQ(code("?since=2026-12-18T08:00:00Z"), "fine");
  EXPECT_EQ(code("?since=2026-12-18T07:54:00Z"), "invalid_range");
  EXPECT_EQ(code("?since=2026-11-01T00:00:00Z&until=2026-11-20T00:00:00Z"), "fine");
  EXPECT_EQ(code("?until=2027-01-15T08:04:00Z"), "fine");
  EXPECT_EQ(code("?until=2027-01-15T08:06:00Z"), "invalid_range");
  EXPECT_EQ(code("?since=2027-01-15T08:01:00Z"), "invalid_range");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/endpoint/e1/stats?since=x").status, 422);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/endpoint/nobody/stats").status, 404);
}

}  // namespace
}  // namespace petrel::api
