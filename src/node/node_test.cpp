#include "node/node.h"

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using model::DeliveryState;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Mood = MoodyStore::Mood;

// Their parts are 123 and 254: with two shards they live apart.
constexpr const char* kOdd = "https://example.com/hook";
constexpr const char* kEven = "http://127.0.0.1:8080/hook";

struct NodeTest : testing::Test {
  void begin(std::size_t shards = 1, const NodeSettings& settings = {}) {
    world = std::make_unique<NodeWorld>(shards);
    ASSERT_TRUE(world->start(settings).ok());
    application = world->create_application();
  }

  void TearDown() override {
    if (world) {
      EXPECT_EQ(world->problems, std::vector<std::string>());
    }
  }

  Result<engine::LaneHealth> health(EndpointId endpoint) {
    Result<engine::LaneHealth> health = unavailable("not answered");
    world->node->services(0).lanes.health(
        endpoint, [&](Result<engine::LaneHealth> answer) { health = std::move(answer); });
    world->run();
    return health;
  }

  std::unique_ptr<NodeWorld> world;
  ApplicationId application;
};

TEST_F(NodeTest, DeliversToEachEndpointFromTheShardOfItsAuthority) {
  begin(2);
  const EndpointId odd = world->create_endpoint(application, kOdd);
  const EndpointId even = world->create_endpoint(application, kEven);
  for (const std::size_t entrance : {0U, 1U}) {
    const auto message = world->send(application, entrance);
    ASSERT_TRUE(message);
    ASSERT_EQ(world->wires[0].out.size(), 1U);
    ASSERT_EQ(world->wires[1].out.size(), 1U);
    EXPECT_EQ(world->wires[0].out.front().order.delivery.endpoint, even);
    EXPECT_EQ(world->wires[1].out.front().order.delivery.endpoint, odd);
    for (HandWire& wire : world->wires) wire.answer(200);
    world->run();
    EXPECT_EQ(world->delivery(odd, *message).state, DeliveryState::Delivered);
    EXPECT_EQ(world->delivery(even, *message).state, DeliveryState::Delivered);
  }
}

TEST_F(NodeTest, GoesOnAfterACrashWithWhatIsOnDisk) {
  begin(2);
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  const auto message = world->send(application);
  EXPECT_EQ(world->out(), 1U);
  world->die();
  EXPECT_EQ(world->out(), 0U);

  ASSERT_TRUE(world->start().ok());
  EXPECT_EQ(world->out(), 1U);
  world->wires[1].answer(200);
  world->run();
  EXPECT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Delivered);
}

TEST_F(NodeTest, KeepsAnOpenCircuitOverACrash) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  // Twenty failures in a row open it.
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world->send(application));
    world->wires[0].answer(500);
    world->run();
  }
  EXPECT_EQ(health(endpoint)->circuit.state, lane::CircuitBreaker::State::Open);
  world->die();
  ASSERT_TRUE(world->start().ok());
  EXPECT_EQ(health(endpoint)->circuit.state, lane::CircuitBreaker::State::Open);
  EXPECT_EQ(world->out(), 0U);
}

TEST_F(NodeTest, APausedEndpointSendsNothingUntilItIsResumed) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  model::Endpoint record = *world->catalogue->endpoint(endpoint);
  record.pause = model::Pause{world->clock.wall(), "by a person"};
  world->change(store::UpdateEndpoint{record});
  ASSERT_TRUE(world->send(application));
  world->pass(seconds(10));
  EXPECT_EQ(world->out(), 0U);

  record.pause.reset();
  world->change(store::UpdateEndpoint{record});
  EXPECT_EQ(world->out(), 1U);
}

TEST_F(NodeTest, ADeletedEndpointsDeliveriesAreCancelled) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  model::Endpoint record = *world->catalogue->endpoint(endpoint);
  record.pause = model::Pause{world->clock.wall(), "by a person"};
  world->change(store::UpdateEndpoint{record});
  const auto message = world->send(application);

  world->change(store::DeleteEndpoint{endpoint, world->clock.wall()});
  world->pass(seconds(1));
  EXPECT_EQ(world->out(), 0U);
  EXPECT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Dead);
  EXPECT_EQ(world->delivery(endpoint, *message).reason, policy::DeadReason::Cancelled);
}

TEST_F(NodeTest, WithAnApplicationGoTheDeliveriesOfAllItsLanes) {
  begin(2);
  const EndpointId odd = world->create_endpoint(application, kOdd);
  const EndpointId even = world->create_endpoint(application, kEven);
  const auto message = world->send(application);
  for (HandWire& wire : world->wires) wire.answer(500);
  world->run();
  EXPECT_EQ(world->delivery(odd, *message).state, DeliveryState::Retrying);

  world->change(store::DeleteApplication{application, world->clock.wall()});
  world->pass(seconds(1));
  EXPECT_EQ(world->delivery(odd, *message).state, DeliveryState::Dead);
  EXPECT_EQ(world->delivery(even, *message).state, DeliveryState::Dead);
}

TEST_F(NodeTest, PausesAnEndpointThatIsGoneAndTriesUntilThatIsOnDisk) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  ASSERT_TRUE(world->send(application));
  world->store.mood = Mood::Away;
  world->wires[0].answer(410);
  world->run();
  EXPECT_FALSE(world->store.MemoryStore::endpoint(endpoint)->pause);
  world->store.mood = Mood::Fine;
  world->pass(seconds(2));
  ASSERT_TRUE(world->store.MemoryStore::endpoint(endpoint)->pause);
  EXPECT_EQ(world->store.MemoryStore::endpoint(endpoint)->pause->why, "the receiver answered 410");
}

TEST_F(NodeTest, DoesNotPauseAgainWhatWasResumedWhileItsPauseWasNotKnownToBeOnDisk) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  ASSERT_TRUE(world->send(application));
  world->store.mood = Mood::Unsure;
  world->wires[0].answer(410);
  world->run();
  world->store.mood = Mood::Fine;
  world->clock.time += milliseconds(100);
  model::Endpoint resumed = *world->store.MemoryStore::endpoint(endpoint);
  ASSERT_TRUE(resumed.pause);
  resumed.pause.reset();
  world->change(store::UpdateEndpoint{resumed});

  world->pass(seconds(2));

  EXPECT_FALSE(world->store.MemoryStore::endpoint(endpoint)->pause);
}

TEST_F(NodeTest, AQuestionMakesNoLane) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  world->die();
  ASSERT_TRUE(world->start().ok());
  ASSERT_TRUE(health(endpoint).ok());
  EXPECT_EQ(health(endpoint)->in_flight_max, 10);
  EXPECT_EQ(world->node->core(0).counts().lanes, 0U);
  EXPECT_EQ(health(EndpointId(world->maker.make(world->clock.wall()))).error().kind,
            ErrorKind::NotFound);
}

TEST_F(NodeTest, ResendsWhatIsDead) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  const auto message = world->send(application);
  world->wires[0].answer(400);
  world->run();
  ASSERT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Dead);

  Result<Resent> resent = unavailable("not answered");
  world->node->services(0).deliveries.resend(application, {endpoint, *message},
                                             [&](Result<Resent> answer) { resent = answer; });
  world->run();
  ASSERT_TRUE(resent.ok());
  EXPECT_EQ(*resent, Resent::Done);
  ASSERT_EQ(world->out(), 1U);
  world->wires[0].answer(200);
  world->run();
  EXPECT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Delivered);
}

TEST_F(NodeTest, DiscardsADeadLetterAndNothingElse) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  const auto message = world->send(application);
  std::vector<std::string> log;
  const auto discard = [&] {
    world->node->services(0).deliveries.discard({endpoint, *message}, [&](const Status& status) {
      log.push_back(status.ok() ? "done" : status.error().text());
    });
    world->run();
  };
  discard();
  world->wires[0].answer(400);
  world->run();
  discard();
  EXPECT_EQ(log, (std::vector<std::string>{"there is no such dead letter", "done"}));
  EXPECT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Discarded);
}

// What was answered as Unavailable may be on disk all the same.
TEST_F(NodeTest, LooksAgainWhenTheStoreIsBackHoweverMuchWaitsToBeRead) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  store::Acceptance unheard;
  unheard.message.id = MessageId(world->maker.make(world->clock.wall()));
  unheard.message.application = application;
  unheard.payload = std::make_shared<const std::string>("{}");
  model::Delivery delivery;
  delivery.key = {endpoint, unheard.message.id};
  delivery.application = application;
  delivery.due_at = delivery.updated_at = world->clock.wall();
  unheard.deliveries.push_back(delivery);
  world->store.accept({unheard}, [](const auto&) {});
  world->run();
  EXPECT_EQ(world->out(), 0U);

  world->is_pool_full = true;
  world->node->store_returned();
  world->pass(seconds(3));
  EXPECT_EQ(world->out(), 0U);
  world->is_pool_full = false;
  world->pass(seconds(1));
  EXPECT_EQ(world->out(), 1U);
}

struct DrainTest : NodeTest {
  void drain(Duration grace) {
    world->node->drain(grace, [this] { drained_at = world->clock.time; });
    world->run();
  }
  std::optional<Duration> drained_at;
};

TEST_F(DrainTest, AnIdleNodeIsDrainedAtOnce) {
  begin(3);
  drain(seconds(20));
  EXPECT_TRUE(drained_at);
}

TEST_F(DrainTest, LetsEndWhatIsInFlightAndStartsNothingMore) {
  begin();
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  const auto first = world->send(application);
  drain(seconds(20));
  const auto second = world->send(application);
  world->pass(seconds(5));
  EXPECT_FALSE(drained_at);
  EXPECT_EQ(world->out(), 1U);
  world->wires[0].answer(200);
  world->run();
  EXPECT_TRUE(drained_at);
  EXPECT_EQ(world->delivery(endpoint, *first).state, DeliveryState::Delivered);
  EXPECT_EQ(world->delivery(endpoint, *second).state, DeliveryState::Pending);
}

TEST_F(DrainTest, CancelsWhatIsStillInFlightWhenTheTimeIsOver) {
  begin(2);
  const EndpointId endpoint = world->create_endpoint(application, kOdd);
  const auto message = world->send(application);
  drain(seconds(20));
  world->pass(milliseconds(19'900));
  EXPECT_EQ(world->wires[1].cancels, 0);
  world->pass(milliseconds(100));
  EXPECT_EQ(world->wires[1].cancels, 1);
  world->pass(milliseconds(100));
  EXPECT_TRUE(drained_at);
  EXPECT_EQ(world->delivery(endpoint, *message).state, DeliveryState::Pending);
  EXPECT_EQ(world->delivery(endpoint, *message).attempts_total, 0);
}

TEST_F(DrainTest, EndsAlthoughNothingCanBeSettled) {
  begin();
  world->create_endpoint(application, kOdd);
  ASSERT_TRUE(world->send(application));
  drain(seconds(1));
  world->wires[0].out.clear();  // Its answer never comes, cancelled or not.
  world->pass(milliseconds(10'900));
  EXPECT_FALSE(drained_at);
  world->pass(milliseconds(200));
  EXPECT_TRUE(drained_at);
}

}  // namespace
}  // namespace petrel::node
