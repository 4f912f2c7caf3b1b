// Where lanes live, and what changes of endpoints and applications mean for them.

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using model::DeliveryState;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Their parts are 123 and 254: with two shards they live apart.
constexpr const char* kOdd = "https://example.com/hook";
constexpr const char* kEven = "http://127.0.0.1:8080/hook";

struct LaneMovesTest : testing::Test {
  LaneMovesTest() { begin(); }

  void begin() {
    EXPECT_TRUE(world.start().ok());
    application = world.create_application();
  }
  void TearDown() override { EXPECT_EQ(world.problems, std::vector<std::string>()); }

  void edit(EndpointId id, const std::function<void(model::Endpoint&)>& change) {
    model::Endpoint record = *world.catalogue->endpoint(id);
    change(record);
    world.change(store::UpdateEndpoint{record});
  }
  void set_url(EndpointId id, std::string url) {
    edit(id, [&](model::Endpoint& record) { record.url = std::move(url); });
  }

  void pause(EndpointId id) {
    edit(id, [&](model::Endpoint& record) { record.pause = {world.clock.wall(), "by a person"}; });
  }
  void resume(EndpointId id) {
    edit(id, [this](model::Endpoint& record) {
      record.pause.reset();
      record.updated_at = world.clock.wall();
    });
  }

  // On the wire of each shard.
  std::vector<std::size_t> out() const {
    return {world.wires[0].out.size(), world.wires[1].out.size()};
  }
  std::size_t lanes() const {
    return world.node->core(0).counts().lanes + world.node->core(1).counts().lanes;
  }

  Status order(EndpointId endpoint, LaneOrder what) {
    Status answer = unavailable("not answered");
    world.node->services(0).lanes.order(endpoint, what, [&](Status status) { answer = status; });
    world.run();
    return answer;
  }

  lane::CircuitBreaker::State circuit(EndpointId endpoint) {
    std::optional<lane::CircuitBreaker::State> state;
    world.node->services(0).lanes.health(
        endpoint, [&](const Result<engine::LaneHealth>& health) { state = health->circuit.state; });
    world.run();
    return *state;
  }

  void open_circuit(std::size_t shard) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(world.send(application));
      world.wires[shard].answer(500);
      world.run();
    }
  }

  // Each delivery has one attempt, so none is left to be tried again.
  void open_circuit_without_backlog(EndpointId endpoint) {
    edit(endpoint, [](model::Endpoint& record) {
      record.retry_policy.emplace();
      record.retry_policy->attempts_max = 1;
    });
    while (circuit(endpoint) == State::Closed) {
      ASSERT_TRUE(world.send(application));
      world.wires[1].answer(500);
      world.run();
    }
  }

  using State = lane::CircuitBreaker::State;
  NodeWorld world{2};
  ApplicationId application;
};

TEST_F(LaneMovesTest, ALaneWithANewUrlGoesOnAtItsShardOnceNothingIsInFlightAtTheOldOne) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  const auto first = world.send(application);
  ASSERT_EQ(out(), (std::vector<std::size_t>{0, 1}));

  set_url(endpoint, kEven);
  const auto second = world.send(application);
  EXPECT_EQ(out(), (std::vector<std::size_t>{0, 1}));

  world.wires[1].answer(200);
  world.run();
  ASSERT_EQ(out(), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(world.wires[0].out.front().order.endpoint->url, kEven);
  EXPECT_EQ(world.wires[0].out.front().order.delivery.message, *second);
  EXPECT_EQ(world.node->core(1).counts().lanes, 0U);
  world.wires[0].answer(200);
  world.run();
  EXPECT_EQ(world.delivery(endpoint, *first).state, DeliveryState::Delivered);
  EXPECT_EQ(world.delivery(endpoint, *second).state, DeliveryState::Delivered);
}

TEST_F(LaneMovesTest, AnEndpointWithoutALaneMovesAtOnce) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  set_url(endpoint, kEven);
  ASSERT_TRUE(world.send(application));
  EXPECT_EQ(out(), (std::vector<std::size_t>{1, 0}));
}

TEST_F(LaneMovesTest, ALaneThatIsSentBackBeforeItLeftGoesOnWhereItWas) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  ASSERT_TRUE(world.send(application));
  set_url(endpoint, kEven);
  set_url(endpoint, kOdd);
  ASSERT_TRUE(world.send(application));
  world.wires[1].answer(200);
  world.run();
  EXPECT_EQ(out(), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(lanes(), 1U);
}

TEST_F(LaneMovesTest, AnOpenCircuitMovesWithItsLane) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  open_circuit(1);
  ASSERT_EQ(circuit(endpoint), State::Open);

  set_url(endpoint, kEven);

  EXPECT_EQ(circuit(endpoint), State::Open);
  ASSERT_TRUE(world.send(application));
  EXPECT_EQ(world.out(), 0U);
}

TEST_F(LaneMovesTest, TheRampOfAResumeIsOverAlsoWhereNoLaneWas) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  pause(endpoint);
  resume(endpoint);
  EXPECT_EQ(lanes(), 1U);
  world.pass(seconds(6));
  EXPECT_EQ(lanes(), 0U);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.send(application));
  EXPECT_EQ(world.out(), 10U);
}

TEST_F(LaneMovesTest, AResumeBeginsWithARampAlsoWhereNoLaneWas) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  pause(endpoint);
  resume(endpoint);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.send(application));
  EXPECT_EQ(world.out(), 1U);
}

TEST_F(LaneMovesTest, ACrashRightAfterAResumeDoesNotLetTheBacklogGoAtOnce) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  pause(endpoint);
  world.pass(seconds(1));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.send(application));
  resume(endpoint);
  EXPECT_EQ(world.out(), 1U);

  world.die();
  ASSERT_TRUE(world.start().ok());

  EXPECT_EQ(world.out(), 1U);
}

TEST_F(LaneMovesTest, ALaneThatLeftWhileItWasPausedHasItsRampWhenItIsResumed) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  ASSERT_TRUE(world.send(application));
  world.wires[1].answer(200);
  world.run();
  pause(endpoint);
  world.pass(hours(1) + minutes(2));
  ASSERT_EQ(lanes(), 0U);
  resume(endpoint);
  world.pass(minutes(20));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.send(application));
  EXPECT_EQ(world.out(), 10U);
}

TEST_F(LaneMovesTest, AnEndpointThatIsDeletedWhileItMovesIsCancelled) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  ASSERT_TRUE(world.send(application));
  set_url(endpoint, kEven);
  const auto waiting = world.send(application);
  world.change(store::DeleteEndpoint{endpoint, world.clock.wall()});
  world.wires[1].answer(200);
  world.run();
  EXPECT_EQ(world.out(), 0U);
  EXPECT_EQ(world.delivery(endpoint, *waiting).state, DeliveryState::Dead);
  EXPECT_EQ(lanes(), 0U);
}

TEST_F(LaneMovesTest, FortyEndpointsMovedToOneHostShareItsCap) {
  std::vector<EndpointId> endpoints;
  for (int i = 0; i < 40; ++i) {
    endpoints.push_back(world.create_endpoint(application, i % 2 == 0 ? kOdd : kEven));
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.send(application));
  for (const EndpointId endpoint : endpoints) set_url(endpoint, kEven);
  while (world.out() > world.wires[0].out.size()) {  // Until the old host has none any more.
    world.wires[1].answer(200);
    world.run();
  }
  EXPECT_LE(world.wires[0].out.size(), 32U);
  while (world.out() > 0) {
    ASSERT_LE(world.wires[0].out.size(), 32U);
    ASSERT_EQ(world.wires[1].out.size(), 0U);
    world.wires[0].answer(200);
    world.run();
  }
}

TEST_F(LaneMovesTest, TheCapOfAnAuthorityFollowsTheEndpointsThatExist) {
  const EndpointId large = world.create_endpoint(application, kOdd);
  edit(large, [](model::Endpoint& record) { record.in_flight_max = 50; });
  for (int i = 0; i < 9; ++i) world.create_endpoint(application, kOdd);
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(world.send(application));
  const std::size_t shared_by_ten = world.out();
  EXPECT_GT(shared_by_ten, 32U);
  EXPECT_LE(shared_by_ten, 50U);

  world.change(store::DeleteEndpoint{large, world.clock.wall()});
  for (int i = 0; i < 30; ++i) {
    world.wires[1].answer(200);
    world.run();
  }

  EXPECT_LE(world.out(), 32U);
}

TEST_F(LaneMovesTest, DeletedEndpointsLeaveNoLanes) {
  for (int i = 0; i < 20; ++i) {
    const EndpointId endpoint =
        world.create_endpoint(application, "https://host" + std::to_string(i) + ".example/hook");
    ASSERT_TRUE(world.send(application));
    while (world.out() > 0) {
      for (HandWire& wire : world.wires) {
        if (!wire.out.empty()) wire.answer(200);
      }
      world.run();
    }
    world.change(store::DeleteEndpoint{endpoint, world.clock.wall()});
  }
  world.run();
  EXPECT_EQ(lanes(), 0U);
  EXPECT_EQ(world.node->core(0).counts().authorities, 0U);
  EXPECT_EQ(world.node->core(1).counts().authorities, 0U);
}

TEST_F(LaneMovesTest, ADeletedEndpointWithoutALaneLeavesNoOpenCircuit) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  open_circuit_without_backlog(endpoint);
  world.clock.time += hours(2);
  world.pass(seconds(1));
  ASSERT_EQ(lanes(), 0U);
  ASSERT_TRUE(world.node->services(0).lanes.open_circuit(endpoint).has_value());

  world.change(store::DeleteEndpoint{endpoint, world.clock.wall()});
  world.pass(seconds(1));

  EXPECT_EQ(lanes(), 0U);
  EXPECT_FALSE(world.node->services(0).lanes.open_circuit(endpoint).has_value());
}

TEST(LaneRouterTest, ALaneLooksIntoTheStoreIfTooMuchWaitsInItsShardsMailbox) {
  HandClock clock{wall_from_unix_seconds(1'800'000'000), MonoTime{}};
  HandLoop loop{clock};
  std::size_t handed_over = 0;
  std::vector<EndpointId> looks;
  Mailbox<ShardMail> mailbox(loop, [&](const std::vector<ShardMail>& mail) {
    for (const ShardMail& each : mail) {
      if (const auto* due = std::get_if<HandOver>(&each)) handed_over += due->due.size();
      if (const auto* look = std::get_if<LaneLook>(&each)) looks.push_back(look->endpoint);
    }
  });
  const store::Catalogue catalogue;
  const OpenCircuits circuits;
  const engine::OngoingAttempts ongoing;
  const engine::SuspectList suspects;
  LaneRouter router({catalogue, circuits, ongoing, suspects});
  router.connect({&mailbox});
  const auto deliveries = [](std::size_t count) {
    HandOver mail;
    mail.due.resize(count);
    return mail;
  };

  router.hand_over(0, deliveries(LaneRouter::kHandedOverMax - 1));
  router.hand_over(0, deliveries(1));
  router.hand_over(0, deliveries(5));
  loop.run();
  EXPECT_EQ(handed_over, LaneRouter::kHandedOverMax);
  EXPECT_EQ(looks, (std::vector<EndpointId>{EndpointId()}));

  router.taken_over(0, LaneRouter::kHandedOverMax);
  router.hand_over(0, deliveries(5));
  loop.run();
  EXPECT_EQ(handed_over, LaneRouter::kHandedOverMax + 5);
}

TEST_F(LaneMovesTest, AnExpungedPayloadIsNotSentFromMemory) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  const auto pause = [&](bool is_paused) {
    edit(endpoint, [&](model::Endpoint& record) {
      record.pause.reset();
      if (is_paused) record.pause = model::Pause{world.clock.wall(), "by a person"};
    });
  };
  pause(true);
  const auto message = world.send(application);
  world.change(store::ExpungePayload{application, *message});
  pause(false);
  world.pass(seconds(1));
  EXPECT_EQ(world.out(), 0U);
  EXPECT_EQ(world.delivery(endpoint, *message).state, DeliveryState::Dead);
}

TEST_F(LaneMovesTest, AnOrderIsStillCarriedOutAfterACrash) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  open_circuit(1);
  ASSERT_TRUE(order(endpoint, LaneOrder::Close).ok());
  world.die();
  ASSERT_TRUE(world.start().ok());
  EXPECT_EQ(circuit(endpoint), State::Closed);
}

TEST_F(LaneMovesTest, ARampEndsAfterACrashAlsoWhereNothingIsToBeSent) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  open_circuit_without_backlog(endpoint);
  ASSERT_TRUE(order(endpoint, LaneOrder::Close).ok());
  ASSERT_TRUE(world.node->core(1).lane(endpoint)->guard.breaker().first_opened());
  world.die();
  ASSERT_TRUE(world.start().ok());
  world.pass(seconds(6));

  ASSERT_TRUE(world.send(application));
  const lane::Lane& lane = world.node->core(1).lane(endpoint)->guard;
  EXPECT_FALSE(lane.ramp().is_active(world.clock.mono()));
  EXPECT_FALSE(lane.breaker().first_opened());
}

TEST_F(LaneMovesTest, AnOrderThatMayNotBeOnDiskIsNotAnsweredAsDone) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  open_circuit(1);
  world.store.mood = MoodyStore::Mood::Away;
  EXPECT_EQ(order(endpoint, LaneOrder::Close).error().kind, ErrorKind::Unavailable);
  world.store.mood = MoodyStore::Mood::Fine;
}

TEST_F(LaneMovesTest, ALaneThatHadNothingToDoForADayIsForgotten) {
  const EndpointId endpoint = world.create_endpoint(application, kOdd);
  ASSERT_TRUE(world.send(application));
  world.wires[1].answer(200);
  world.run();
  EXPECT_EQ(lanes(), 1U);
  world.clock.time += hours(2);
  world.pass(seconds(1));
  EXPECT_EQ(lanes(), 0U);

  ASSERT_TRUE(world.send(application));
  EXPECT_EQ(out(), (std::vector<std::size_t>{0, 1}));
  world.wires[1].answer(200);
  world.run();
  EXPECT_EQ(circuit(endpoint), State::Closed);
}

}  // namespace
}  // namespace petrel::node
