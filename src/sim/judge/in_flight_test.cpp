#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::vector<DeliveryName> posts(Trial& trial, EndpointId endpoint, int count) {
  std::vector<DeliveryName> names;
  for (int i = 0; i < count; ++i) names.push_back({endpoint, trial.post()});
  return names;
}

TEST(InFlight, AsManyAsTheMaximum) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 2})");
  const auto names = posts(trial, endpoint, 3);
  trial.request(names[0]);
  trial.request(names[1]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[2]);

  EXPECT_EQ(trial.rules(), "in flight");
}

TEST(InFlight, TheAdaptiveLimitStartsAtTen) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 30})");
  const auto names = posts(trial, endpoint, 11);
  for (int i = 0; i < 10; ++i) trial.request(names[static_cast<std::size_t>(i)]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[10]);

  EXPECT_EQ(trial.rules(), "in flight");
}

TEST(InFlight, ATimeoutHalvesIt) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const auto names = posts(trial, endpoint, 7);
  trial.reply(trial.request(names[0]), {.kind = Reply::Timeout});
  trial.wait(milliseconds(1));
  for (std::size_t i = 1; i < 6; ++i) trial.request(names[i]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[6]);

  EXPECT_EQ(trial.rules(), "in flight");
}

TEST(InFlight, AtAnotherUrlItMayStartAfresh) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const auto names = posts(trial, endpoint, 12);
  const std::uint64_t before = trial.request(names[0]);
  trial.change(endpoint, R"({"url": "https://b.example/"})");
  trial.reply(before, {.kind = Reply::Timeout});
  trial.wait(milliseconds(1));
  for (std::size_t i = 1; i < 11; ++i) trial.request(names[i]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[11]);

  EXPECT_EQ(trial.rules(), "in flight");
}

TEST(InFlight, WhatWaitedForItsPayloadWasLetGoBefore) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const auto names = posts(trial, endpoint, 7);
  trial.reply(trial.request(names[0]), {.kind = Reply::Timeout});
  trial.wait(milliseconds(1));
  for (std::size_t i = 1; i < 6; ++i) trial.request(names[i]);

  trial.request(names[6], milliseconds(1));

  EXPECT_EQ(trial.rules(), "");
}

TEST(InFlight, ALowerMaximumHoldsFromItsAnswer) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const auto names = posts(trial, endpoint, 3);
  const std::uint64_t change = trial.ask(
      {.act = Act::ChangeEndpoint, .endpoint = endpoint, .json = R"({"maxInFlight": 1})"});
  trial.request(names[0]);
  trial.request(names[1]);
  EXPECT_EQ(trial.rules(), "");
  trial.tell(change);

  trial.request(names[2]);

  EXPECT_EQ(trial.rules(), "in flight");
}

TEST(InFlight, ADeadProcessHasNothingInFlight) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 1})");
  const auto names = posts(trial, endpoint, 2);
  trial.request(names[0]);
  trial.die();
  trial.start();

  trial.request(names[1]);

  EXPECT_EQ(trial.rules(), "");
}

// Four endpoints with ten in flight each share one authority.
class AuthorityTest : public testing::Test {
 protected:
  Trial trial;
  std::vector<EndpointId> endpoints;
  std::vector<MessageId> messages;

  void fill(int count, std::string json) {
    for (int i = 0; i < 4; ++i) endpoints.push_back(trial.endpoint(json));
    for (int i = 0; i < 10; ++i) messages.push_back(trial.post());
    for (int i = 0; i < count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      trial.request({endpoints[place / 10], messages[place % 10]});
    }
  }
};

TEST_F(AuthorityTest, ThirtyTwoAreAllowed) {
  fill(32, R"({"url": "https://a.example/"})");

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(AuthorityTest, OneMoreIsNot) {
  fill(32, R"({"url": "https://a.example/"})");
  const EndpointId one_more = trial.endpoint();

  trial.request({one_more, trial.post()});

  EXPECT_EQ(trial.rules(), "authority");
}

TEST_F(AuthorityTest, TheLargestMaximumOfAnEndpointThatExistsRaisesIt) {
  const EndpointId large =
      trial.endpoint(R"({"url": "https://a.example:443/x", "maxInFlight": 33})");
  fill(32, R"({"url": "https://a.example/"})");

  trial.request({large, messages[0]});

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(AuthorityTest, OneThatIsDeletedDoesNot) {
  const EndpointId large = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 33})");
  trial.order(Act::DeleteEndpoint, large);
  fill(33, R"({"url": "https://a.example/"})");

  EXPECT_NE(trial.rules().find("authority"), std::string::npos);
}

TEST(Rate, AnEndpointsRateHolds) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "throttleRate": 4})");
  const auto names = posts(trial, endpoint, 3);
  trial.request(names[0]);
  trial.wait(milliseconds(250));
  trial.request(names[1]);
  EXPECT_EQ(trial.rules(), "");
  trial.wait(milliseconds(249));

  trial.request(names[2]);

  EXPECT_EQ(trial.rules(), "rate");
}

TEST(Rate, AnApplicationsHoldsOverItsEndpoints) {
  Trial trial;
  trial.act({.act = Act::ChangeApplication, .json = R"({"throttleRate": 4})"});
  const EndpointId one = trial.endpoint();
  const EndpointId other = trial.endpoint();
  const MessageId message = trial.post();
  trial.request({one, message});
  trial.wait(milliseconds(249));

  trial.request({other, message});

  EXPECT_EQ(trial.rules(), "rate");
}

TEST(Rate, ARaisedRateMayCountFromItsRequest) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "throttleRate": 1})");
  const auto names = posts(trial, endpoint, 2);
  trial.request(names[0]);
  trial.ask({.act = Act::ChangeEndpoint, .endpoint = endpoint, .json = R"({"throttleRate": 10})"});
  trial.wait(milliseconds(100));

  trial.request(names[1]);

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
