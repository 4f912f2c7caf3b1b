#include <gtest/gtest.h>

#include "sim/judge/crowd_check.h"
#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(CatalogueTruth, AtRestTheNodeShowsWhatIsOnDisk) {
  Trial same;
  Trial less;
  Trial more;

  same.hear(Dump{.on_disk = {"a", "b"}, .shown = {"b", "a"}});
  less.hear(Dump{.on_disk = {"a", "b"}, .shown = {"a"}});
  more.hear(Dump{.on_disk = {"a"}, .shown = {"a", "b"}});

  EXPECT_EQ(same.rules(), "");
  EXPECT_EQ(less.rules(), "catalogue");
  EXPECT_EQ(more.rules(), "catalogue");
}

TEST(CatalogueTruth, ARequestGoesToAUrlThatItsEndpointHas) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const DeliveryName names[] = {{endpoint, trial.post()}, {endpoint, trial.post()}};
  const std::uint64_t change = trial.ask({.act = Act::ChangeEndpoint,
                                          .endpoint = endpoint,
                                          .json = R"({"url": "https://b.example/"})"});
  trial.request(names[0]);
  EXPECT_EQ(trial.rules(), "");
  trial.tell(change);

  trial.request(names[1]);

  EXPECT_EQ(trial.rules(), "catalogue");
}

class KeyTest : public testing::Test {
 protected:
  Trial trial;
  MessageId one = trial.next_message();
  MessageId other = trial.next_message();

  void post(std::string key, MessageId message) {
    const std::uint64_t number = trial.ask({.act = Act::Post, .key = std::move(key), .json = "{}"});
    trial.hear(Told{.number = number, .status = 202, .message = message});
  }
};

TEST_F(KeyTest, OneKeyIsOneMessage) {
  post("k", one);
  post("k", one);
  post("l", other);
  EXPECT_EQ(trial.rules(), "");

  post("k", other);

  EXPECT_EQ(trial.rules(), "key");
}

TEST_F(KeyTest, PostsWithoutAKeyAreTwoMessages) {
  post("", one);

  post("", one);

  EXPECT_EQ(trial.rules(), "key");
}

class UnboundedTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();

  std::string count(const Counted& counted) {
    trial.hear(counted);
    return trial.rules();
  }
};

TEST_F(UnboundedTest, AnEndpointWithoutWorkHasNoLane) {
  EXPECT_EQ(count({.lanes = 1}), "unbounded");
}

TEST_F(UnboundedTest, ALaneLeavesAfterAnHour) {
  trial.attempt({endpoint, trial.post()}, 200);
  trial.wait(hours(1));
  EXPECT_EQ(count({.lanes = 1}), "");
  trial.wait(seconds(1) + Duration(1));

  EXPECT_EQ(count({.lanes = 1}), "unbounded");
}

TEST_F(UnboundedTest, PayloadsHaveABudget) {
  EXPECT_EQ(count({.payload_bytes = std::size_t{1} << 30U}), "");
  EXPECT_EQ(count({.payload_bytes = (std::size_t{1} << 30U) + 1}), "unbounded");
}

TEST_F(UnboundedTest, IdleLoopsSleep) {
  count({.turns = 10});
  EXPECT_EQ(count({.turns = 110}), "");
  EXPECT_EQ(count({.turns = 211}), "restless");
}

TEST(CrowdCheck, TakesTheFirstStartOfEachDelivery) {
  Trial trial;
  const DeliveryName name{trial.endpoint(), trial.next_message()};
  const std::uint64_t post = trial.ask({.act = Act::Post, .key = "a"});
  trial.write(name.message, name.endpoint, trial.now().wall);
  trial.hear(Told{.number = post, .status = 202, .message = name.message});
  trial.wait(milliseconds(300));
  trial.attempt(name, 500);
  trial.wait(minutes(1));
  trial.attempt(name, 500);

  const StartDelays delays = start_delays(trial.judge().scene());
  EXPECT_EQ(delays.at({name.endpoint, "a"}).delay, milliseconds(300));
}

TEST(Accusation, SaysWhichRuleWhereAndWhen) {
  Trial trial;
  trial.hear(Dump{.on_disk = {"a"}, .shown = {}});

  EXPECT_EQ(
      trial.judge().accusations().front().line(),
      "2027-01-15T08:00:00.000000Z catalogue (Exactly: Changes): is on disk, and the node does "
      "not show it: a");
}

TEST(Resolved, WhatNobodyWasToldOfIsSettledBySight) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const DeliveryName name{endpoint, trial.post()};
  const std::uint64_t pause = trial.ask({.act = Act::Pause, .endpoint = endpoint});
  trial.tell(pause, 503);
  const DeliveryName other{endpoint, trial.post()};
  trial.request(name);
  EXPECT_EQ(trial.rules(), "");
  trial.hear(Resolved{.number = pause, .has_happened = true});

  trial.request(other);

  EXPECT_EQ(trial.rules(), "paused");
}

}  // namespace
}  // namespace petrel::sim::judge
