#include <gtest/gtest.h>

#include "sim/judge/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Dead letters of one endpoint, and a task that puts them back.
class ReplayTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  std::vector<DeliveryName> dead;

  void SetUp() override {
    for (int i = 0; i < 8; ++i) {
      const DeliveryName name{endpoint, trial.post()};
      const std::uint64_t request = trial.request(name);
      trial.reply(request, 400);
      trial.hear(trial.record(request, "dead", "permanent"));
      dead.push_back(name);
    }
    trial.wait(minutes(1));
  }
  std::uint64_t ask(Act act, std::string json = "{}") {
    return trial.ask({.act = act, .json = std::move(json)});
  }
  void start(std::string json) { trial.tell(ask(Act::StartTask, std::move(json)), 202); }
  void put_back(const DeliveryName& name) {
    trial.hear(OnDisk{.application = trial.application(),
                      .endpoint = endpoint,
                      .message = name.message,
                      .state = "pending",
                      .due_at = trial.now().wall,
                      .by = By::Task});
  }
  void write(TaskOnDisk record) { trial.hear(record); }
  // So that nothing else is wrong.
  void pause_lane() { trial.order(Act::Pause, endpoint); }

  const std::string slow = R"({"type": "replay", "ratePerMinute": 6, "ramp": false})";
};

TEST_F(ReplayTest, KeepsItsPace) {
  start(slow);
  put_back(dead[0]);
  put_back(dead[1]);
  EXPECT_EQ(trial.rules(), "") << "one that is due, and one to catch up";
  trial.attempt(dead[0], 200);
  trial.attempt(dead[1], 200);
  trial.wait(seconds(9));

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, OneEveryTenSecondsIsRight) {
  start(slow);
  put_back(dead[0]);
  put_back(dead[1]);
  trial.attempt(dead[0], 200);
  trial.attempt(dead[1], 200);
  trial.wait(seconds(10));

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, InItsFirstMinuteARampHasTheRateWhereItBegan) {
  start(R"({"type": "replay", "ratePerMinute": 6})");
  put_back(dead[0]);
  put_back(dead[1]);

  put_back(dead[2]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

TEST_F(ReplayTest, ChangesNothingTwice) {
  start(R"({"type": "replay", "ratePerMinute": 600})");
  put_back(dead[0]);

  put_back(dead[0]);

  EXPECT_NE(trial.rules().find("replayed twice"), std::string::npos);
}

TEST_F(ReplayTest, ChangesOnlyWhatItIsAbout) {
  start(R"({"type": "replay", "reasons": ["exhausted"]})");

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "replay unmeant");
}

TEST_F(ReplayTest, SkipsNothing) {
  start(R"({"type": "replay", "ratePerMinute": 600, "ramp": false})");
  for (std::size_t i = 0; i < 7; ++i) put_back(dead[i]);

  write({.task = {}, .state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, WhatOthersChangedIsNotSkipped) {
  start(R"({"type": "replay", "ratePerMinute": 600, "ramp": false})");
  for (std::size_t i = 0; i < 7; ++i) put_back(dead[i]);
  trial.hear(OnDisk{.application = trial.application(),
                    .endpoint = endpoint,
                    .message = dead[7].message,
                    .state = "discarded",
                    .by = By::Person});

  write({.task = {}, .state = "finished", .total = 8, .done = 7, .skipped = 1});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReplayTest, ItsSumsAddUp) {
  start(R"({"type": "replay", "ratePerMinute": 600, "ramp": false})");
  for (const DeliveryName& name : dead) put_back(name);

  write({.task = {}, .state = "finished", .total = 9, .done = 8});

  EXPECT_EQ(trial.rules(), "replay skipped");
}

TEST_F(ReplayTest, StaysPausedUntilAPersonResumesIt) {
  start(slow);
  write({.task = {}, .state = "paused", .by = By::Person});

  write({.task = {}, .state = "running"});

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, ChangesNothingOnceItIsPaused) {
  start(slow);
  trial.tell(ask(Act::PauseTask), 200);
  trial.wait(seconds(1) + Duration(1));

  put_back(dead[0]);

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, ItsProgressNeverGoesBack) {
  start(slow);
  write({.task = {}, .state = "running", .done = 2});

  write({.task = {}, .state = "running", .done = 1});

  EXPECT_EQ(trial.rules(), "replay word");
}

TEST_F(ReplayTest, StandsStillWhileTheEndpointTakesNothing) {
  start(slow);
  pause_lane();
  trial.hear(Counted{});
  trial.wait(seconds(1));
  put_back(dead[0]);
  EXPECT_EQ(trial.rules(), "") << "the step that was under way";
  trial.wait(minutes(1));

  put_back(dead[1]);

  EXPECT_EQ(trial.rules(), "replay rate");
}

}  // namespace
}  // namespace petrel::sim::judge
