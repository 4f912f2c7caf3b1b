#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using model::DeliveryState;

struct ResendRoutes : testing::Test {
  Reply resend(const std::string& id, const std::string& to = "e1") {
    return world.ask("POST", "/api/v1/app/acme/msg/" + id + "/endpoint/" + to + "/resend");
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1","eventTypes":["a"])");
  const std::string message = world.make_message("acme", "a");
};

TEST_F(ResendRoutes, WhatHasEndedIsSentAgainByHand) {
  for (const DeliveryState state : {DeliveryState::Dead, DeliveryState::Delivered}) {
    const bool is_dead = state == DeliveryState::Dead;
    const std::string id = world.make_message("acme", "a");
    world.end(endpoint, id, state,
              is_dead ? std::optional(policy::DeadReason::Exhausted) : std::nullopt);
    world.lanes.nudged.clear();
    world.advance(std::chrono::hours(1));

    const Reply reply = resend(id);

    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.body, "{}");
    const model::Delivery delivery = world.delivery(endpoint, id);
    EXPECT_EQ(delivery.state, DeliveryState::Pending);
    EXPECT_EQ(delivery.due_at, world.clock.now);
    EXPECT_TRUE(delivery.is_manual);
    EXPECT_EQ(world.lanes.nudged, std::vector{*EndpointId::parse(endpoint)});
  }
}

TEST_F(ResendRoutes, AMessageThatWasNotForAnEndpointGoesThereWhenAsked) {
  const std::string other = world.make_message("acme", "b");

  EXPECT_EQ(resend(other).status, 202);

  EXPECT_EQ(world.delivery(endpoint, other).state, DeliveryState::Pending);
  EXPECT_TRUE(world.delivery(endpoint, other).is_manual);
  EXPECT_EQ(world.lanes.nudged, std::vector{*EndpointId::parse(endpoint)});
  EXPECT_NE(world.ask("GET", "/api/v1/app/acme/msg/" + other + "/endpoint").body.find(endpoint),
            std::string::npos);
}

TEST_F(ResendRoutes, ARetryIsBroughtForwardAndWhatIsFreshIsLeftAlone) {
  EXPECT_EQ(resend(message).status, 202);
  EXPECT_TRUE(world.lanes.nudged.empty());
  EXPECT_FALSE(world.delivery(endpoint, message).is_manual);

  world.end(endpoint, message, DeliveryState::Retrying);
  EXPECT_EQ(resend(message).status, 202);
  EXPECT_EQ(world.delivery(endpoint, message).due_at, world.clock.now);
  EXPECT_EQ(world.delivery(endpoint, message).state, DeliveryState::Retrying);
  EXPECT_EQ(world.lanes.nudged.size(), 1U);
}

TEST_F(ResendRoutes, WithoutAPayloadThereIsNothingToSend) {
  world.end(endpoint, message, DeliveryState::Delivered);
  ASSERT_EQ(world.ask("DELETE", "/api/v1/app/acme/msg/" + message + "/content").status, 204);

  const Reply reply = resend(message);

  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.field("code"), "missing_payload");
  EXPECT_EQ(world.delivery(endpoint, message).state, DeliveryState::Delivered);
}

TEST_F(ResendRoutes, ToADisabledEndpointItWaitsThere) {
  world.end(endpoint, message, DeliveryState::Delivered);
  ASSERT_EQ(
      world.ask("PATCH", "/api/v1/app/acme/endpoint/e1", {.body = R"({"disabled":true})"}).status,
      200);
  EXPECT_EQ(resend(message).status, 202);
  EXPECT_EQ(world.delivery(endpoint, message).state, DeliveryState::Pending);
}

TEST_F(ResendRoutes, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(resend("nothing").status, 404);
  EXPECT_EQ(resend(message, "nobody").status, 404);
}

}  // namespace
}  // namespace petrel::api
