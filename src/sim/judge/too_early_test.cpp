#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class TooEarlyTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint(
      R"({"url": "https://a.example/", "retryPolicy": {"baseDelay": "10s", "jitter": "equal"}})");
  DeliveryName name{endpoint, trial.post()};

  std::string due_after(Duration delay, Replied reply = {.status = 500}) {
    const std::uint64_t request = trial.request(name);
    trial.reply(request, std::move(reply));
    trial.hear(trial.retry(request, delay));
    return trial.rules();
  }
};

TEST_F(TooEarlyTest, TheShortestThatJitterDrawsIsAllowed) { EXPECT_EQ(due_after(seconds(5)), ""); }

TEST_F(TooEarlyTest, ShorterIsNot) {
  EXPECT_EQ(due_after(seconds(5) - milliseconds(1)), "too early");
}

TEST_F(TooEarlyTest, TheLongestIsAllowed) { EXPECT_EQ(due_after(seconds(10)), ""); }

TEST_F(TooEarlyTest, LongerIsNot) {
  EXPECT_EQ(due_after(seconds(10) + milliseconds(1)), "too early");
}

TEST_F(TooEarlyTest, RetryAfterIsNeverUndercut) {
  EXPECT_EQ(due_after(seconds(59), {.status = 503, .retry_after = "60"}), "too early");
}

TEST_F(TooEarlyTest, RetryAfterIsKept) {
  EXPECT_EQ(due_after(seconds(60), {.status = 503, .retry_after = "60"}), "");
}

TEST_F(TooEarlyTest, A429WithoutAHeaderDoubles) {
  EXPECT_EQ(due_after(seconds(20), {.status = 429}), "");
}

TEST_F(TooEarlyTest, NoRequestBeforeItIsDue) {
  due_after(seconds(8));
  trial.wait(seconds(8) - Duration(1));

  trial.request(name);

  EXPECT_EQ(trial.rules(), "too early");
}

TEST_F(TooEarlyTest, OneAtThatMomentIsRight) {
  due_after(seconds(8));
  trial.wait(seconds(8));

  trial.request(name);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(TooEarlyTest, AClockThatIsSetForwardMakesItDue) {
  due_after(seconds(8));
  Moment ahead = trial.now();
  ahead.wall += seconds(5);
  trial.judge().hear({ahead, ClockSet{seconds(5)}});
  trial.wait(seconds(3));

  trial.request(name);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(TooEarlyTest, AChangeUnderWayAllowsTheOldPolicyAndTheNew) {
  trial.ask({.act = Act::ChangeEndpoint,
             .endpoint = endpoint,
             .json = R"({"retryPolicy": {"baseDelay": "2s", "jitter": "none"}})"});

  EXPECT_EQ(due_after(seconds(2)), "");
}

TEST_F(TooEarlyTest, AHoldKeepsTheWholeEndpointStill) {
  const DeliveryName other{endpoint, trial.post()};
  due_after(seconds(60), {.status = 503, .retry_after = "60"});
  trial.wait(seconds(60) - Duration(1));

  trial.request(other);

  EXPECT_EQ(trial.rules(), "hold broken");
}

TEST_F(TooEarlyTest, AHoldEnds) {
  const DeliveryName other{endpoint, trial.post()};
  due_after(seconds(60), {.status = 503, .retry_after = "60"});
  trial.wait(seconds(60));

  trial.request(other);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(TooEarlyTest, AHoldOutlivesACrash) {
  const DeliveryName other{endpoint, trial.post()};
  due_after(seconds(60), {.status = 429, .retry_after = "60"});
  trial.die();
  trial.start();
  trial.wait(seconds(59));

  trial.request(other);

  EXPECT_EQ(trial.rules(), "hold broken");
}

TEST_F(TooEarlyTest, AnOrderEndsAHold) {
  const DeliveryName other{endpoint, trial.post()};
  due_after(seconds(60), {.status = 503, .retry_after = "60"});
  trial.order(Act::Close, endpoint);

  trial.request(other);

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
