#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A delivery that failed in an outage and waits for its backoff of an hour; the circuit has closed.
class ReleaseTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint(
      R"({"url": "https://a.example/", "guards": {"openAfter": 3},
          "retryPolicy": {"strategy": "fixed", "baseDelay": "1h", "jitter": "none"}})");
  DeliveryName before{endpoint, trial.post()};
  DeliveryName failed;
  DeliveryName probe;

  void outage() {
    trial.attempt(before, 500, hours(1));
    trial.wait(seconds(61));
    failed = {endpoint, trial.post()};
    probe = {endpoint, trial.post()};
    trial.attempt(probe, 500, hours(1));
    trial.wait(milliseconds(1));
    trial.attempt(failed, 500, hours(1));
    trial.wait(seconds(15));
    const std::uint64_t request = trial.request(probe);
    trial.reply(request, 200);
    trial.hear(trial.record(request, "delivered"));
  }
  OnDisk due(const DeliveryName& name, WallTime at) const {
    return {.application = trial.application(),
            .endpoint = endpoint,
            .message = name.message,
            .state = "retrying",
            .due_at = at,
            .attempts = 1};
  }
};

TEST_F(ReleaseTest, WhatFailedInTheOutageIsDueAfterTheRamp) {
  outage();
  trial.wait(seconds(5));

  trial.hear(due(failed, trial.now().wall));

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ReleaseTest, NotWhileTheRampHoldsItBack) {
  outage();
  trial.wait(seconds(5) - milliseconds(1));

  trial.hear(due(failed, trial.now().wall));

  EXPECT_EQ(trial.rules(), "wrongly released");
}

TEST_F(ReleaseTest, NotWhatFailedBeforeIt) {
  outage();
  trial.wait(seconds(5));

  trial.hear(due(before, trial.now().wall));

  EXPECT_EQ(trial.rules(), "wrongly released");
}

TEST_F(ReleaseTest, NotASecondTime) {
  outage();
  trial.wait(seconds(5));
  const WallTime at = trial.now().wall;
  trial.hear(due(failed, at));

  trial.hear(due(failed, at - seconds(1)));

  EXPECT_EQ(trial.rules(), "wrongly released");
}

TEST_F(ReleaseTest, WhatIsTakenBackIsDueWhenItWas) {
  outage();
  trial.wait(seconds(5));
  const WallTime was = trial.judge().scene().track(failed)->on_disk.due_at;
  trial.hear(due(failed, trial.now().wall));
  trial.hear(due(failed, was));
  EXPECT_EQ(trial.rules(), "");

  trial.hear(due(failed, was + seconds(1)));

  EXPECT_EQ(trial.rules(), "wrongly released");
}

TEST_F(ReleaseTest, ItHasToBeReleasedOnceTheRampMustBeOver) {
  outage();
  trial.wait(seconds(11));
  trial.hear(Counted{});
  trial.wait(seconds(1));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "not released");
}

TEST_F(ReleaseTest, UnlessItIsSwitchedOff) {
  trial.change(endpoint, R"({"guards": {"openAfter": 3, "releaseAfterOutage": false}})");
  outage();
  trial.wait(seconds(11));
  trial.hear(Counted{});
  trial.wait(seconds(2));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "");
}

class ResendTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint(
      R"({"url": "https://a.example/",
          "retryPolicy": {"strategy": "fixed", "baseDelay": "60s", "jitter": "none"}})");
  DeliveryName name{endpoint, trial.post()};

  std::uint64_t ask() {
    return trial.ask({.act = Act::Resend, .endpoint = endpoint, .message = name.message});
  }
  void write(std::string state, WallTime due_at) {
    trial.hear(OnDisk{.application = trial.application(),
                      .endpoint = endpoint,
                      .message = name.message,
                      .state = std::move(state),
                      .due_at = due_at,
                      .attempts = 1,
                      .by = By::Person});
  }
};

TEST_F(ResendTest, WhatHasEndedIsPendingAgainWhenItIsAnswered) {
  trial.attempt(name, 200);
  const std::uint64_t number = ask();
  write("pending", trial.now().wall);

  trial.tell(number, 202);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ResendTest, ElseItIsNotResent) {
  trial.attempt(name, 200);
  trial.wait(seconds(1));

  trial.tell(ask(), 202);

  EXPECT_EQ(trial.rules(), "not resent");
}

TEST_F(ResendTest, ARetryIsBroughtForward) {
  trial.attempt(name, 500, seconds(60));
  trial.wait(seconds(50) - Duration(1));

  trial.tell(ask(), 202);

  EXPECT_EQ(trial.rules(), "not resent");
}

TEST_F(ResendTest, UnlessItComesSoonAnyway) {
  trial.attempt(name, 500, seconds(60));
  trial.wait(seconds(50));

  trial.tell(ask(), 202);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ResendTest, ASuccessInFlightEndsIt) {
  const std::uint64_t request = trial.request(name);
  const std::uint64_t number = ask();
  trial.reply(request, 200);
  trial.hear(trial.record(request, "delivered"));

  trial.tell(number, 202);

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
