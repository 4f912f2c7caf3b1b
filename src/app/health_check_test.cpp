#include "app/health_check.h"

#include <utility>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

using Sentences = std::vector<std::string>;
using std::chrono::seconds;

struct HealthCheckTest : testing::Test {
  void ask() {
    check.ask([this](const api::ServerHealth& health) { answers.push_back(health); });
    loop.run();
  }
  void answer() {
    std::exchange(open, {})(state);
    loop.run();
  }
  void pass(Duration time) { loop.run_for(clock, time); }

  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  Heartbeats beats;
  const std::size_t shard = beats.add("shard-1", clock.mono());
  StoreState state;  // That the store answers with when it is told to.
  std::function<void(StoreState)> open;
  int questions = 0;
  HealthCheck check{loop, clock, beats, [this](std::function<void(StoreState)> done) {
                      ++questions;
                      open = std::move(done);
                    }};
  std::vector<api::ServerHealth> answers;
};

TEST_F(HealthCheckTest, IsWellIfTheStoreTakesAWriteAndEveryLoopTurns) {
  ask();
  EXPECT_TRUE(answers.empty());
  answer();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers.front().is_well());
  EXPECT_EQ(answers.front().problems, Sentences());
}

TEST_F(HealthCheckTest, AStoreThatTakesNoWritesIsNotWellAndNoPathIsNamed) {
  state.takes_writes = false;
  state.why_not = "the store's disk is full: While appending to file: /var/lib/petrel/000012";
  ask();
  answer();
  EXPECT_FALSE(answers.front().is_well());
  EXPECT_EQ(answers.front().problems,
            Sentences{"the store takes no writes: the store's disk is full"});
}

TEST_F(HealthCheckTest, WhatNamesAPathIsLeftToTheLog) {
  state.takes_writes = false;
  state.why_not = "cannot write /var/lib/petrel/000012.log";
  ask();
  answer();
  EXPECT_EQ(answers.front().problems, Sentences{"the store takes no writes"});
}

TEST_F(HealthCheckTest, AskingOftenCostsFewWrites) {
  ask();
  answer();
  for (int i = 0; i < 5; ++i) ask();
  EXPECT_EQ(answers.size(), 6U);
  EXPECT_EQ(questions, 1);
  pass(seconds(1));
  ask();
  EXPECT_EQ(questions, 2);
}

TEST_F(HealthCheckTest, DamageIsNamedWhileTheStoreStillTakesWrites) {
  state.damage_total = 2;
  state.damaged = {"000123.sst", "message msg_1"};
  ask();
  answer();
  EXPECT_TRUE(answers.front().is_well());
  EXPECT_EQ(answers.front().problems,
            Sentences{"the store is damaged in 2 places: 000123.sst, message msg_1"});
}

TEST_F(HealthCheckTest, ALoopThatDoesNotTurnIsNamed) {
  clock.time += seconds(7);
  ask();
  answer();
  EXPECT_FALSE(answers.front().loops_are_well);
  EXPECT_EQ(answers.front().problems, Sentences{"shard-1 has not turned for 7 s"});
}

TEST_F(HealthCheckTest, AnswersInTimeThoughTheStoreDoesNot) {
  ask();
  ask();
  pass(seconds(2));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_FALSE(answers.back().store_is_well);
  EXPECT_EQ(answers.back().problems, Sentences{"the store has not answered for 2 s"});

  // The store has the question still: no other is put to it, and the answer comes at once.
  pass(seconds(1));
  beats.beat(shard, clock.mono());
  ask();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers.back().problems, Sentences{"the store has not answered for 3 s"});
  EXPECT_EQ(questions, 1);

  answer();
  EXPECT_EQ(answers.size(), 3U);
  ask();
  EXPECT_TRUE(answers.back().is_well());
  EXPECT_EQ(questions, 1);
}

}  // namespace
}  // namespace petrel::app
