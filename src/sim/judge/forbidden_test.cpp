#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class ForbiddenTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  DeliveryName name{endpoint, trial.post()};

  std::string judged() {
    trial.request(name);
    return trial.rules();
  }
};

TEST_F(ForbiddenTest, NothingIsSentToAPausedEndpoint) {
  trial.order(Act::Pause, endpoint);

  EXPECT_EQ(judged(), "paused");
}

TEST_F(ForbiddenTest, UntilThePauseIsAnsweredItMayBe) {
  trial.ask({.act = Act::Pause, .endpoint = endpoint});

  EXPECT_EQ(judged(), "");
}

TEST_F(ForbiddenTest, OnceAResumeIsAskedForItMayBeAgain) {
  trial.order(Act::Pause, endpoint);
  trial.ask({.act = Act::Resume, .endpoint = endpoint});

  EXPECT_EQ(judged(), "");
}

TEST_F(ForbiddenTest, NothingIsSentToADisabledEndpoint) {
  trial.change(endpoint, R"({"disabled": true})");

  EXPECT_EQ(judged(), "paused");
}

TEST_F(ForbiddenTest, NothingIsSentToADeletedEndpoint) {
  trial.order(Act::DeleteEndpoint, endpoint);

  EXPECT_EQ(judged(), "deleted");
}

TEST_F(ForbiddenTest, WhatWaitsForADeletedEndpointEndsAsCancelled) {
  trial.order(Act::DeleteEndpoint, endpoint);

  trial.dump();

  EXPECT_EQ(trial.rules(), "deleted");
}

TEST_F(ForbiddenTest, AnExpungedPayloadIsNotSent) {
  const std::uint64_t number = trial.ask({.act = Act::Expunge, .message = name.message});
  trial.tell(number, 204);

  EXPECT_EQ(judged(), "expunged");
}

TEST_F(ForbiddenTest, UntilTheExpungeIsAnsweredItMayBe) {
  trial.ask({.act = Act::Expunge, .message = name.message});

  EXPECT_EQ(judged(), "");
}

TEST_F(ForbiddenTest, EveryAttemptHasTheSameBytes) {
  trial.hear(Requested{.request = 900,
                       .life = 1,
                       .endpoint = endpoint,
                       .message = name.message,
                       .url = "https://a.example/",
                       .body_hash = "a",
                       .signed_at = trial.now().wall});
  trial.reply(900, {.kind = Reply::OurFault});

  EXPECT_EQ(judged(), "untrue record");
}

// Its producer was told 503, so nothing says which post it is of but the time itself.
TEST(Scheduled, NorIfThePostFailedAndTheClockWasSet) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.hear(ClockSet{-seconds(5)});
  const std::uint64_t number = trial.ask(
      {.act = Act::Post, .json = R"({"eventType": "a", "deliverAt": "2027-01-15T09:00:00Z"})"});
  const MessageId message = trial.next_message();
  trial.write(message, endpoint, trial.now().wall + hours(1));
  trial.tell(number, 503);

  trial.request({endpoint, message});

  EXPECT_EQ(trial.rules(), "too early, scheduled");
}

TEST(Scheduled, NothingIsSentBeforeDeliverAt) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  // Trial begins at 2027-01-15T08:00:00Z.
  const DeliveryName name{endpoint,
                          trial.post(R"({"eventType": "a", "deliverAt": "2027-01-15T09:00:00Z"})")};
  trial.wait(hours(1));
  Trial early;
  const EndpointId other = early.endpoint();
  const DeliveryName soon{other,
                          early.post(R"({"eventType": "a", "deliverAt": "2027-01-15T09:00:00Z"})")};
  early.wait(hours(1) - Duration(1));

  trial.request(name);
  early.request(soon);

  EXPECT_EQ(trial.rules(), "");
  EXPECT_EQ(early.rules(), "too early, scheduled");
}

class GoneTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  DeliveryName next{endpoint, trial.post()};

  void is_gone(std::uint64_t request) {
    trial.reply(request, 410);
    trial.hear(trial.record(request, "dead", "gone"));
  }
  std::uint64_t request() { return trial.request({endpoint, trial.post()}); }
};

TEST_F(GoneTest, NothingIsSentFromThenOn) {
  is_gone(request());
  request();
  EXPECT_EQ(trial.rules(), "") << "at the same moment";
  trial.wait(Duration(1));

  trial.request(next);

  EXPECT_EQ(trial.rules(), "paused");
}

TEST_F(GoneTest, NorWhileTheNodesOwnPauseIsOnItsWay) {
  is_gone(request());
  trial.ask({.act = Act::Pause, .endpoint = endpoint, .is_own = true});
  trial.wait(Duration(1));

  trial.request(next);

  EXPECT_EQ(trial.rules(), "paused");
}

TEST_F(GoneTest, APersonWhoResumesItEndsThat) {
  is_gone(request());
  trial.order(Act::Resume, endpoint);
  trial.wait(Duration(1));

  trial.request(next);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(GoneTest, SoDoesACrash) {
  is_gone(request());
  trial.die();
  trial.start();
  trial.wait(Duration(1));

  trial.request(next);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(GoneTest, OfAnotherUrlItSaysNothing) {
  const std::uint64_t before = request();
  trial.change(endpoint, R"({"url": "https://b.example/"})");
  trial.reply(before, 410);
  trial.wait(Duration(1));

  trial.request(next);

  EXPECT_EQ(trial.rules(), "");
}

TEST(Pausing, WithoutAReasonItDoesNot) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();

  trial.act({.act = Act::Pause, .endpoint = endpoint, .is_own = true});

  EXPECT_EQ(trial.rules(), "wrongly paused");
}

class PauseStreakTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint =
      trial.endpoint(R"({"url": "https://a.example/", "guards": {"pauseAfter": 2}})");

  void fail() {
    const std::uint64_t request = trial.request({endpoint, trial.post()});
    trial.reply(request, 400);
    trial.hear(trial.record(request, "dead", "permanent"));
  }
  void pause() { trial.act({.act = Act::Pause, .endpoint = endpoint, .is_own = true}); }
  void pause_by_410() {
    const std::uint64_t request = trial.request({endpoint, trial.post()});
    trial.reply(request, 410);
    trial.hear(trial.record(request, "dead", "gone"));
    pause();
  }
};

TEST_F(PauseStreakTest, MoreInARowThanThatPauseIt) {
  for (int i = 0; i < 3; ++i) fail();

  pause();

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(PauseStreakTest, AsManyDoNot) {
  for (int i = 0; i < 2; ++i) fail();

  pause();

  EXPECT_EQ(trial.rules(), "wrongly paused");
}

TEST_F(PauseStreakTest, ASuccessStartsOver) {
  fail();
  fail();
  trial.attempt({endpoint, trial.post()}, 200);
  fail();

  pause();

  EXPECT_EQ(trial.rules(), "wrongly paused");
}

TEST_F(PauseStreakTest, APauseDoesNotEndIt) {
  for (int i = 0; i < 3; ++i) fail();
  pause();
  trial.order(Act::Resume, endpoint);
  fail();

  pause();

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(PauseStreakTest, WhatEndedWhileItWasPausedIsNoReasonToPauseItAgain) {
  const std::uint64_t request = trial.request({endpoint, trial.post()});
  for (int i = 0; i < 3; ++i) fail();
  pause();
  trial.reply(request, 400);
  trial.hear(trial.record(request, "dead", "permanent"));
  trial.wait(seconds(60));
  trial.order(Act::Resume, endpoint);

  trial.request({endpoint, trial.post()});

  EXPECT_EQ(trial.rules(), "");
}

// It pauses by itself, whatever came before it.
TEST_F(PauseStreakTest, A410IsNoPartOfIt) {
  const std::uint64_t request = trial.request({endpoint, trial.post()});
  pause_by_410();
  trial.wait(seconds(1));
  trial.reply(request, 410);
  trial.hear(trial.record(request, "dead", "gone"));
  trial.order(Act::Resume, endpoint);
  for (int i = 0; i < 2; ++i) {
    trial.wait(seconds(10));
    fail();
  }
  trial.wait(seconds(10));

  trial.request({endpoint, trial.post()});

  EXPECT_EQ(trial.rules(), "");
}

class DrainTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  DeliveryName name{endpoint, trial.post()};

  void stopped() { trial.hear(Life{.life = 1, .event = Life::Event::Stopped}); }
};

TEST_F(DrainTest, EndsWithinItsGraceAndTheLastCommit) {
  trial.stop(seconds(30));
  trial.wait(seconds(40));

  stopped();

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(DrainTest, NotLater) {
  trial.stop(seconds(30));
  trial.wait(seconds(40) + Duration(1));

  stopped();

  EXPECT_EQ(trial.rules(), "bad stop");
}

TEST_F(DrainTest, StartsNothing) {
  trial.stop(seconds(30));
  trial.wait(Duration(1));

  trial.request(name);

  EXPECT_EQ(trial.rules(), "bad stop");
}

TEST_F(DrainTest, LetsGoWhatWaitsForItsPayload) {
  trial.stop(seconds(30));
  trial.wait(milliseconds(2));

  trial.request(name, milliseconds(2));

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(DrainTest, WaitsForWhatHasEndedToBeOnDisk) {
  const std::uint64_t request = trial.request(name);
  trial.stop(seconds(30));
  trial.reply(request, 200);
  Trial other;
  const DeliveryName cut{other.endpoint(), other.post()};
  const std::uint64_t cancelled = other.request(cut);
  other.stop(seconds(30));
  other.reply(cancelled, {.kind = Reply::OurFault});

  stopped();
  other.hear(Life{.life = 1, .event = Life::Event::Stopped});

  EXPECT_EQ(trial.rules(), "bad stop");
  EXPECT_EQ(other.rules(), "");
}

TEST(Audit, NumbersAndIdsGrow) {
  Trial trial;
  const DeliveryName name{trial.endpoint(), trial.post()};
  const std::uint64_t request = trial.request(name);
  trial.reply(request, 500);
  OnDisk record = trial.retry(request, seconds(5));
  record.attempt->number = 2;

  trial.hear(record);

  EXPECT_EQ(trial.rules(), "audit");
}

}  // namespace
}  // namespace petrel::sim::judge
