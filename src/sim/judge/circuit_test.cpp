#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class CircuitTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint =
      trial.endpoint(R"({"url": "https://a.example/", "guards": {"openAfter": 3}})");
  std::vector<DeliveryName> names;

  void SetUp() override {
    for (int i = 0; i < 6; ++i) names.push_back({endpoint, trial.post()});
  }
  void open() {
    for (std::size_t i = 0; i < 3; ++i) {
      trial.wait(milliseconds(1));
      trial.attempt(names[i], 500, seconds(5));
    }
  }
};

TEST_F(CircuitTest, NothingIsSentWhileItIsOpen) {
  open();
  trial.wait(seconds(15) - Duration(1));

  trial.request(names[4]);

  EXPECT_EQ(trial.rules(), "circuit leaks");
}

TEST_F(CircuitTest, AfterTheOpenTimeOneProbeIs) {
  open();
  trial.wait(seconds(15));
  trial.request(names[4]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[5]);

  EXPECT_EQ(trial.rules(), "circuit leaks");
}

TEST_F(CircuitTest, AProbeMayComeBeforeItsDeliveryIsDue) {
  open();
  trial.wait(seconds(15));
  const std::uint64_t probe = trial.request(names[4]);
  trial.reply(probe, 500);
  trial.hear(trial.retry(probe, seconds(5)));
  for (std::size_t i = 0; i < 1; ++i) trial.wait(seconds(15));

  trial.request(names[0]);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(CircuitTest, TheProbeComesWhenTheOpenTimeIsOver) {
  open();
  trial.wait(milliseconds(18'750) + seconds(1));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "circuit stuck");
}

// All that waits has failed, and its receiver asked to be left alone for that long.
struct ProbeAfterAWishTest : testing::Test {
  Trial trial;
  EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "guards": {"openAfter": 3},
      "retryPolicy": {"strategy": "fixed", "baseDelay": "5m", "jitter": "none"}})");

  void open_with(const std::string& retry_after) {
    for (int i = 0; i < 3; ++i) {
      trial.wait(milliseconds(1));
      const std::uint64_t request = trial.request({endpoint, trial.post()});
      trial.reply(request, Replied{.status = 500, .retry_after = retry_after});
      trial.hear(trial.retry(request, minutes(5)));
    }
    trial.wait(milliseconds(18'750) + seconds(1) + Duration(1));
    trial.hear(Counted{});
  }
};

TEST_F(ProbeAfterAWishTest, ItIsNotMissedWhileTheWishLasts) {
  open_with("300");

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(ProbeAfterAWishTest, AWishForNoTimeLastsNoTime) {
  open_with("0");

  EXPECT_EQ(trial.rules(), "circuit stuck");
}

TEST_F(CircuitTest, NoProbeIsMissedWhileTheStoreIsAway) {
  open();
  trial.hear(StoreAway{.verb = "settle"});
  trial.wait(minutes(5));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(CircuitTest, ItStaysOpenOverACrash) {
  open();
  trial.wait(seconds(1));
  trial.die();
  trial.start();
  trial.wait(seconds(13));

  trial.request(names[4]);

  EXPECT_EQ(trial.rules(), "circuit leaks");
}

// Half of four within a minute.
struct CircuitWindowTest : testing::Test {
  Trial trial;
  EndpointId endpoint =
      trial.endpoint(R"({"url": "https://a.example/", "guards": {"openWindowAttempts": 4}})");

  void fail(int times) {
    for (int i = 0; i < times; ++i) trial.attempt({endpoint, trial.post()}, 500);
  }
};

TEST_F(CircuitWindowTest, ItOpensWithTheFourth) {
  fail(2);
  trial.wait(seconds(3));
  fail(2);

  trial.wait(milliseconds(1));
  trial.request({endpoint, trial.post()});

  EXPECT_EQ(trial.rules(), "circuit leaks");
}

TEST_F(CircuitWindowTest, WithAnotherUrlItMayStartEmpty) {
  fail(2);
  trial.change(endpoint, R"({"url": "https://b.example/"})");
  trial.wait(seconds(3));
  fail(2);

  trial.wait(milliseconds(1));
  trial.request({endpoint, trial.post()});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(CircuitWindowTest, WhatFailedAfterTheMoveCounts) {
  trial.change(endpoint, R"({"url": "https://b.example/"})");
  trial.wait(seconds(3));
  fail(4);

  trial.wait(milliseconds(1));
  trial.request({endpoint, trial.post()});

  EXPECT_EQ(trial.rules(), "circuit leaks");
}

TEST_F(CircuitTest, AfterAGoodProbeTheRampHolds) {
  open();
  trial.wait(seconds(15));
  trial.attempt(names[3], 200);
  trial.request(names[4]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[5]);

  EXPECT_EQ(trial.rules(), "ramp broken");
}

TEST_F(CircuitTest, TheRampsRateHolds) {
  open();
  trial.wait(seconds(15));
  trial.attempt(names[3], 200);
  trial.attempt(names[4], 200);
  trial.wait(seconds(1) - Duration(2000));

  trial.attempt(names[5], 200);

  EXPECT_EQ(trial.rules(), "ramp broken");
}

}  // namespace
}  // namespace petrel::sim::judge
