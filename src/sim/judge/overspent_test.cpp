#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class OverspentTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint(
      R"({"url": "https://a.example/", "retryPolicy": {"strategy": "fixed", "baseDelay": "10s",
          "jitter": "none", "maxAttempts": 3, "giveUpAfter": "1h",
          "rules": [{"on": "500", "action": "retry", "maxAttempts": 2}]}})");
  DeliveryName name{endpoint, trial.post()};

  void fail(int status) {
    trial.attempt(name, status, seconds(10));
    trial.wait(seconds(10));
  }
  std::uint64_t last(int status) {
    const std::uint64_t request = trial.request(name);
    trial.reply(request, status);
    return request;
  }
};

TEST_F(OverspentTest, TheLastAttemptEndsItAsExhausted) {
  fail(503);
  fail(503);

  trial.hear(trial.record(last(503), "dead", "exhausted"));

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(OverspentTest, OneMoreIsTooMany) {
  fail(503);
  fail(503);
  trial.hear(trial.retry(last(503), seconds(10)));
  EXPECT_EQ(trial.rules(), "wrong end") << "it goes on";
  trial.wait(seconds(10));

  trial.request(name);

  EXPECT_EQ(trial.rules(), "wrong end, overspent");
}

TEST_F(OverspentTest, ExhaustedBeforeTheLastIsWrong) {
  fail(503);

  trial.hear(trial.record(last(503), "dead", "exhausted"));

  EXPECT_EQ(trial.rules(), "wrong end");
}

TEST_F(OverspentTest, ARulesOwnMaximumEndsItAsPermanent) {
  fail(500);

  trial.hear(trial.record(last(500), "dead", "permanent"));

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(OverspentTest, ARulesOwnMaximumIsNotPassed) {
  fail(500);

  trial.hear(trial.retry(last(500), seconds(10)));

  EXPECT_EQ(trial.rules(), "wrong end");
}

TEST_F(OverspentTest, AFinalAnswerIsPermanentAnd410IsGone) {
  trial.hear(trial.record(last(410), "dead", "permanent"));

  EXPECT_EQ(trial.rules(), "wrong end");
}

TEST_F(OverspentTest, ItExpiresIfItsNextAttemptWouldComeAfterTheGiveUpTime) {
  fail(503);
  trial.wait(hours(1) - seconds(20) + Duration(1));

  trial.hear(trial.record(last(503), "dead", "expired"));

  EXPECT_EQ(trial.rules().find("wrong end"), std::string::npos);
}

TEST_F(OverspentTest, ItDoesNotExpireSooner) {
  fail(503);
  trial.wait(hours(1) - seconds(20));

  trial.hear(trial.record(last(503), "dead", "expired"));

  EXPECT_NE(trial.rules().find("wrong end"), std::string::npos);
}

TEST_F(OverspentTest, NothingStartsAfterTheGiveUpTime) {
  Trial& world = trial;
  fail(503);
  world.die();
  world.wait(hours(1) - seconds(10));
  world.start();
  last(503);
  EXPECT_EQ(world.rules(), "");
  world.die();
  world.wait(Duration(1));
  world.start();

  last(503);

  EXPECT_EQ(world.rules(), "overspent");
}

TEST_F(OverspentTest, ThePausedTimeDoesNotCount) {
  fail(503);
  trial.order(Act::Pause, endpoint);
  trial.wait(hours(2));
  trial.order(Act::Resume, endpoint);

  last(503);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(OverspentTest, AnAttemptCountsOnce) {
  OnDisk record = trial.retry(last(503), seconds(10));
  record.attempts = 2;

  trial.hear(record);

  EXPECT_EQ(trial.rules(), "overspent");
}

TEST_F(OverspentTest, WhatHasEndedEndsOnce) {
  trial.attempt(name, 200);

  trial.hear(OnDisk{.application = trial.application(),
                    .endpoint = endpoint,
                    .message = name.message,
                    .state = "dead",
                    .reason = "expired"});

  EXPECT_EQ(trial.rules(), "wrong end");
}

TEST_F(OverspentTest, CancelledTakesADeletion) {
  const OnDisk cancelled{.application = trial.application(),
                         .endpoint = endpoint,
                         .message = name.message,
                         .state = "dead",
                         .reason = "cancelled"};
  Trial other;
  const EndpointId kept = other.endpoint();
  OnDisk wrong = cancelled;
  wrong.endpoint = kept;
  wrong.message = other.post();
  trial.order(Act::DeleteEndpoint, endpoint);

  trial.hear(cancelled);
  other.hear(wrong);

  EXPECT_EQ(trial.rules(), "");
  EXPECT_EQ(other.rules(), "wrong end");
}

}  // namespace
}  // namespace petrel::sim::judge
