#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

// Ten reads for each cause, four for each failure, fifty for nothing.
class ReadsTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  MessageId message = trial.next_message();
  std::uint64_t reads = 0;

  void SetUp() override { count(0); }
  void count(std::uint64_t more) {
    reads += more;
    trial.hear(Counted{.store_reads = reads});
  }
  void post(const std::string& key) {
    const std::uint64_t number =
        trial.ask({.act = Act::Post, .key = key, .json = R"({"eventType": "a"})"});
    trial.hear(Told{.number = number, .status = 202, .message = message});
  }
};

TEST_F(ReadsTest, GoWithWhatThereIsToDo) {
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  count(50 + 20);
  EXPECT_EQ(trial.rules(), "");
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);

  count(50 + 20 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, AreRepeatedAfterAFailure) {
  trial.hear(StoreAway{.verb = "read"});
  trial.hear(StoreAway{.verb = "read", .is_over = true});
  count(50 + 8);
  EXPECT_EQ(trial.rules(), "");
  trial.hear(StoreAway{.verb = "read"});
  trial.hear(StoreAway{.verb = "read", .is_over = true});

  count(50 + 8 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, WhatWasNotUsedBeforeIsNotSavedUp) {
  for (int i = 0; i < 100; ++i) trial.order(Act::Probe, endpoint);
  count(0);

  count(50 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, APostOfAKeyThatWasAcceptedIsNoCause) {
  post("key");
  count(50 + 10);
  EXPECT_EQ(trial.rules(), "");
  for (int i = 0; i < 100; ++i) post("key");

  count(50 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, OneThatWasAnsweredWith503MayBeOnDisk) {
  post("key");
  count(50 + 10);
  trial.act({.act = Act::Post, .key = "key", .json = R"({"eventType": "a"})"}, 503);
  count(50 + 10);
  EXPECT_EQ(trial.rules(), "");
  trial.act({.act = Act::Post, .key = "key", .json = R"({"eventType": "a"})"}, 503);

  count(50 + 10 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, ATaskGoesOverAllThatThereIs) {
  for (int i = 0; i < 5; ++i) trial.post();  // As many posts, and as many deliveries.
  count(0);
  const TaskOnDisk task{.state = "running"};
  trial.hear(task);
  count(50 + 10 + 100);
  count(50 + 100);
  EXPECT_EQ(trial.rules(), "");

  count(50 + 100 + 1);

  EXPECT_EQ(trial.rules(), "unbounded");
}

TEST_F(ReadsTest, APostOfAKeyThatWasNotAnsweredIsACause) {
  trial.ask({.act = Act::Post, .key = "key", .json = R"({"eventType": "a"})"});
  post("key");
  count(50 + 20);

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
