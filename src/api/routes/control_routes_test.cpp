#include <chrono>

#include <gtest/gtest.h>

#include "api/testing/api_world.h"
#include "base/json.h"

namespace petrel::api {
namespace {

struct ControlRoutes : testing::Test {
  Reply post(const std::string& what, const std::string& body = "") {
    return world.ask("POST", root + what, {.body = body});
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme");
  const std::string root = "/api/v1/app/acme/endpoint/" + endpoint;
};

TEST_F(ControlRoutes, HealthShowsTheLaneTheQueueAndTheDead) {
  const std::string first = world.make_message("acme");
  world.advance(std::chrono::seconds(60));
  const std::string second = world.make_message("acme");
  const std::string third = world.make_message("acme");
  world.end(endpoint, second, model::DeliveryState::Retrying, std::nullopt);
  world.end(endpoint, third, model::DeliveryState::Dead, policy::DeadReason::Exhausted);
  world.lanes.lane_health.circuit.state = lane::CircuitBreaker::State::Open;
  world.lanes.lane_health.circuit.since = world.clock.now;
  world.lanes.lane_health.circuit.why = "20 failures in a row";
  world.lanes.lane_health.circuit.next_probe_at = world.clock.now + std::chrono::seconds(15);
  world.lanes.lane_health.in_flight = 3;
  world.lanes.lane_health.in_flight_limit = 5;
  world.lanes.lane_health.in_flight_max = 10;
  world.lanes.lane_health.history.attempts = 4;
  world.lanes.lane_health.history.successes = 1;

  const Reply reply = world.ask("GET", root + "/health");

  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            R"({"circuit":{"state":"open","since":"2027-01-15T08:01:00.000000Z",)"
            R"("why":"20 failures in a row","nextProbeAt":"2027-01-15T08:01:15.000000Z"},)"
            R"("inFlight":3,"inFlightLimit":5,"maxInFlight":10,"throttleRate":null,"ramp":null,)"
            R"("heldUntil":null,"paused":false,"disabled":false,"waitsFor":null,)"
            R"("queue":{"fresh":1,"retrying":1},"oldestAt":"2027-01-15T08:00:00.000000Z",)"
            R"("deadLetters":{"total":1,"byReason":{"permanent":0,"exhausted":1,"expired":0,)"
            R"("gone":0,"cancelled":0,"blocked":0}},"retryRatio15m":0,"attempts1h":4,)"
            R"("successRate1h":0.25,"latencyMs1h":{"p50":null,"p95":null,"p99":null}})");
}

TEST_F(ControlRoutes, AnEndpointIsPausedAndResumed) {
  const Reply paused = post("/pause", R"({"reason":"they asked us to"})");
  EXPECT_EQ(paused.status, 200) << paused.body;
  EXPECT_NE(paused.body.find(R"("reason":"they asked us to")"), std::string::npos);
  EXPECT_NE(post("/pause").body.find(R"("reason":"they asked us to")"), std::string::npos);
  EXPECT_NE(world.ask("GET", root + "/health").body.find(R"("paused":true)"), std::string::npos);

  world.make_message("acme");  // Is kept.
  EXPECT_NE(world.ask("GET", root + "/health").body.find(R"("fresh":1)"), std::string::npos);

  world.advance(std::chrono::hours(2));
  const Reply resumed = post("/resume");
  EXPECT_EQ(resumed.status, 200);
  EXPECT_NE(resumed.body.find(R"("pause":null)"), std::string::npos) << resumed.body;
  EXPECT_EQ(world.catalogue.endpoint(*EndpointId::parse(endpoint))->held.total,
            std::chrono::hours(2));
}

TEST_F(ControlRoutes, ABadReasonIsNamed) {
  EXPECT_EQ(post("/pause", R"({"reason":7})").status, 422);
  EXPECT_NE(post("/pause", R"({"reason":7})").body.find(R"(["body","reason"])"), std::string::npos);
  EXPECT_EQ(post("/pause", "{").status, 422);
}

TEST_F(ControlRoutes, ACircuitIsTriedNowOrClosed) {
  EXPECT_EQ(post("/circuit/probe").status, 202);
  EXPECT_EQ(post("/circuit/close").status, 202);
  EXPECT_EQ(world.lanes.told, (std::vector<std::string>{"probe " + endpoint, "close " + endpoint}));
}

TEST_F(ControlRoutes, WhatIsNotThereIsNotFound) {
  const std::string none = "/api/v1/app/acme/endpoint/none";
  EXPECT_EQ(world.ask("GET", none + "/health").status, 404);
  for (const char* what : {"/pause", "/resume", "/circuit/probe", "/circuit/close"}) {
    EXPECT_EQ(world.ask("POST", none + what).status, 404) << what;
  }
}

}  // namespace
}  // namespace petrel::api
