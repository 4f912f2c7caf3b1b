// What the lanes of all shards share: the slots of the node, and the places at an authority.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "node/node.h"
#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

// Their parts are 123 and 254: with two shards they live apart.
constexpr const char* kOdd = "https://example.com/hook";
constexpr const char* kEven = "http://127.0.0.1:8080/hook";

NodeSettings with_slots(int slots) {
  NodeSettings settings;
  settings.core.slots = slots;
  return settings;
}

struct SlotsTest : testing::TestWithParam<std::size_t> {
  void begin(std::size_t shards, const NodeSettings& settings) {
    world = std::make_unique<NodeWorld>(shards);
    ASSERT_TRUE(world->start(settings).ok());
    application = world->create_application();
  }

  void TearDown() override { EXPECT_EQ(world->problems, std::vector<std::string>()); }

  int in_flight_to(EndpointId endpoint) const {
    int count = 0;
    for (const HandWire& wire : world->wires) {
      for (const HandWire::Out& each : wire.out) {
        if (each.order.delivery.endpoint == endpoint) ++count;
      }
    }
    return count;
  }

  // Its receiver answers all that it has.
  void answer(EndpointId endpoint) {
    for (HandWire& wire : world->wires) {
      const auto is_its = [&](const HandWire::Out& each) {
        return each.order.delivery.endpoint == endpoint;
      };
      for (auto each = std::find_if(wire.out.begin(), wire.out.end(), is_its);
           each != wire.out.end(); each = std::find_if(wire.out.begin(), wire.out.end(), is_its)) {
        std::rotate(wire.out.begin(), each, each + 1);
        wire.answer(200);
      }
    }
    world->run();
  }

  void send(ApplicationId to, int count = 1) {
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(world->send(to, static_cast<std::size_t>(i) % world->wires.size()));
    }
  }

  std::unique_ptr<NodeWorld> world;
  ApplicationId application;
};

TEST_F(SlotsTest, AShardGoesOnWithTheSlotThatAnotherFrees) {
  begin(2, with_slots(1));
  const EndpointId odd = world->create_endpoint(application, kOdd);
  const EndpointId even = world->create_endpoint(application, kEven);
  send(application);
  ASSERT_EQ(world->out(), 1U);
  const EndpointId first = in_flight_to(odd) == 1 ? odd : even;

  answer(first);

  EXPECT_EQ(in_flight_to(first == odd ? even : odd), 1);
  EXPECT_EQ(world->node->slots().in_use(), 1);
}

TEST_F(SlotsTest, ShardsHaveNoMoreInFlightTogetherThanThereAreSlots) {
  begin(2, with_slots(6));
  const EndpointId odd = world->create_endpoint(application, kOdd);
  const EndpointId even = world->create_endpoint(application, kEven);

  send(application, 20);

  EXPECT_EQ(in_flight_to(odd), 2);
  EXPECT_EQ(in_flight_to(even), 2);
  for (int i = 0; i < 40; ++i) {
    answer(i % 2 == 0 ? odd : even);
    ASSERT_LE(world->out(), 4U);
  }
  EXPECT_EQ(world->out(), 0U);
  EXPECT_EQ(world->node->slots().in_use(), 0);
  EXPECT_EQ(world->node->slots().lanes_waiting(), 0);
}

// However many shards there are: a lane that has grown does not take the part of its shard.
TEST_P(SlotsTest, WhateverHangsAnEndpointThatIsWellGoesOn) {
  begin(GetParam(), with_slots(200));
  for (int i = 0; i < 99; ++i) {
    const ApplicationId tenant = world->create_application();
    world->create_endpoint(tenant, fmt::format("http://127.0.0.1:{}/", 9'000 + i));
    send(tenant, 12);
  }
  ASSERT_GT(world->out(), 150U);

  const EndpointId healthy = world->create_endpoint(application, kOdd);
  for (int i = 0; i < 5; ++i) {
    send(application);
    ASSERT_EQ(in_flight_to(healthy), 1);
    answer(healthy);
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, SlotsTest, testing::Values(1U, 4U, 32U));

TEST_F(SlotsTest, OfTwoEndpointsOfAHostTheOneReachesItsMaximumAndLeavesAPlace) {
  NodeSettings settings;
  settings.core.in_flight_per_authority = 10;
  begin(1, settings);
  const EndpointId grown = world->create_endpoint(application, "https://shared.test/a");
  const ApplicationId other = world->create_application();
  const EndpointId idle = world->create_endpoint(other, "https://shared.test/b");
  send(application, 30);
  EXPECT_EQ(in_flight_to(grown), 9);

  send(other, 30);
  EXPECT_EQ(in_flight_to(idle), 1);

  world->change(store::DeleteEndpoint{idle, world->clock.wall()});
  answer(idle);
  EXPECT_EQ(in_flight_to(grown), 10);
}

TEST_F(SlotsTest, ThePlacesThatAreKeptAreKnownAfterAStart) {
  NodeSettings settings;
  settings.core.in_flight_per_authority = 10;
  begin(1, settings);
  const EndpointId grown = world->create_endpoint(application, "https://shared.test/a");
  const ApplicationId other = world->create_application();
  world->create_endpoint(other, "https://shared.test/b");
  send(application, 30);

  world->die();
  ASSERT_TRUE(world->start(settings).ok());

  EXPECT_EQ(in_flight_to(grown), 9);
}

}  // namespace
}  // namespace petrel::node
