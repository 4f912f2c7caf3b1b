// What a node says of its lanes for the metrics, with lanes that are in all the states there are.

#include "node/shard_survey.h"

#include <string>

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Their parts are 123 and 254: with two shards they live apart.
constexpr const char* kOdd = "https://example.com/hook";
constexpr const char* kEven = "http://127.0.0.1:8080/hook";

class ShardSurveyTest : public testing::Test {
 protected:
  void begin(std::size_t shards = 2, std::size_t endpoints_shown = 20) {
    world_ = std::make_unique<NodeWorld>(shards);
    NodeSettings settings;
    settings.endpoints_shown = endpoints_shown;
    ASSERT_TRUE(world_->start(settings).ok());
  }
  void TearDown() override { EXPECT_EQ(world_->problems, std::vector<std::string>()); }

  // A tenant with one endpoint.
  struct Tenant {
    ApplicationId application;
    EndpointId endpoint;
  };
  Tenant tenant(const char* url) {
    const ApplicationId application = world_->create_application();
    return {application, world_->create_endpoint(application, url)};
  }

  void send(const Tenant& tenant, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(world_->send(tenant.application).has_value());
    world_->run();
  }

  void answer_all(int status) {
    for (HandWire& wire : world_->wires) {
      while (!wire.out.empty()) {
        wire.answer(status);
        world_->run();
      }
    }
  }

  ShardFigures figures() {
    world_->pass(ShardSurvey::kEvery + seconds(1));
    return world_->node->figures();
  }

  std::unique_ptr<NodeWorld> world_;
};

TEST_F(ShardSurveyTest, AddsUpTheLanesOfAllShards) {
  begin();
  send(tenant(kOdd), 3);
  send(tenant(kEven), 2);

  const ShardFigures found = figures();
  EXPECT_EQ(found.lanes, 2U);
  EXPECT_EQ(found.in_flight, 5);
  EXPECT_EQ(found.circuits_open + found.circuits_half_open, 0U);
  EXPECT_EQ(found.failures, 0U);
}

TEST_F(ShardSurveyTest, CountsAnOpenCircuitAndWhatWaitsBehindIt) {
  begin();
  const Tenant broken = tenant(kOdd);
  const Tenant well = tenant(kEven);
  const WallTime sent_at = world_->clock.wall();
  send(broken, 40);
  for (int i = 0; i < 4; ++i) answer_all(503);
  world_->pass(seconds(1));
  const WallTime later = world_->clock.wall();
  send(well, 12);

  const ShardFigures found = figures();
  EXPECT_EQ(found.circuits_open, 1U);
  EXPECT_EQ(found.lanes, 2U);
  EXPECT_EQ(found.in_flight, 10);
  ASSERT_TRUE(found.first_due_behind_circuit.has_value());
  EXPECT_EQ(*found.first_due_behind_circuit, sent_at);
  ASSERT_TRUE(found.first_due.has_value());
  EXPECT_EQ(*found.first_due, later);
}

TEST_F(ShardSurveyTest, NamesTheLanesThatFailMostAndCountsAll) {
  begin(2, 1);
  const Tenant some = tenant(kOdd);
  const Tenant more = tenant(kEven);
  send(some, 1);
  answer_all(503);
  send(more, 3);
  answer_all(503);

  ShardFigures found = figures();
  found.keep_most_failing(1);
  EXPECT_EQ(found.failures, 4U);
  ASSERT_EQ(found.failing.size(), 1U);
  EXPECT_EQ(found.failing[0], (EndpointFailures{more.endpoint, 3}));
}

TEST_F(ShardSurveyTest, WhatAPausedEndpointHasIsNotOverdue) {
  begin(1);
  const Tenant paused = tenant(kOdd);
  send(paused, 12);
  ASSERT_TRUE(figures().first_due.has_value());

  model::Endpoint endpoint = *world_->catalogue->endpoint(paused.endpoint);
  endpoint.pause = model::Pause{world_->clock.wall(), "a test"};
  world_->change(store::UpdateEndpoint{endpoint});

  const ShardFigures found = figures();
  EXPECT_EQ(found.first_due, std::nullopt);
  EXPECT_EQ(found.first_due_behind_circuit, std::nullopt);
}

TEST_F(ShardSurveyTest, LooksAtMoreLanesThanItDoesAtOnce) {
  begin(1);
  const ApplicationId application = world_->create_application();
  const std::size_t count = ShardSurvey::kLanesAtOnce + 3;
  for (std::size_t i = 0; i < count; ++i) {
    world_->create_endpoint(application, kOdd + std::to_string(i));
  }
  ASSERT_TRUE(world_->send(application).has_value());
  world_->run();

  EXPECT_EQ(figures().lanes, count);
}

TEST(ShardSurvey, RestsWhileNothingHappens) {
  HandClock clock{WallTime(), MonoTime()};
  HandLoop loop{clock};
  SeededSecureRandom random(1);
  engine::Core core(engine::CoreSettings{}, random, 1);
  const ShardSurvey::LanesOf lanes;
  FigureBoard board(1);
  ShardSurvey survey({.loop = loop,
                      .clock = clock,
                      .core = core,
                      .lanes = lanes,
                      .board = board,
                      .shard = 0,
                      .failing_max = 1});
  const auto says_something = [&](Duration within) {
    board.say(0, {.lanes = 99});
    loop.run_for(clock, within);
    return board.sum().lanes != 99;
  };

  EXPECT_FALSE(says_something(minutes(1)));
  survey.touch();
  survey.touch();
  EXPECT_TRUE(says_something(ShardSurvey::kEvery));
  EXPECT_FALSE(says_something(minutes(1)));
}

}  // namespace
}  // namespace petrel::node
