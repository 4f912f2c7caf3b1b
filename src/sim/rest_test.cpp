#include "sim/rest.h"

#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim {
namespace {

using judge::Replied;
using judge::Rule;
using judge::Trial;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kGrace = minutes(45);

Rest rest_of(const Trial& trial) { return {.now = trial.now(), .are_producers_done = true}; }

TEST(RestBound, AnIdleWorldHasTheGrace) {
  Trial trial;
  trial.endpoint();

  EXPECT_EQ(rest_bound(trial.judge().scene(), trial.now()), trial.now().mono + kGrace);
}

TEST(RestBound, WaitsForTheLastDueTimeAndASecondForEach) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.attempt({endpoint, trial.post()}, 500, hours(3));
  trial.attempt({endpoint, trial.post()}, 500, hours(2));
  trial.attempt({endpoint, trial.post()}, 200);

  const MonoTime bound = rest_bound(trial.judge().scene(), trial.now());

  EXPECT_EQ(bound, trial.now().mono + hours(3) + seconds(2) + kGrace);
}

// 24 hours are the most that the policy grants.
TEST(RestBound, WaitsForWhatAReceiverAskedForAsFarAsItIsGranted) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const std::uint64_t wished = trial.request({endpoint, trial.post()});
  trial.reply(wished, Replied{.status = 503, .retry_after = "7200"});
  EXPECT_EQ(rest_bound(trial.judge().scene(), trial.now()),
            trial.now().mono + hours(2) + seconds(1) + kGrace);

  const std::uint64_t too_much = trial.request({endpoint, trial.post()});
  trial.reply(too_much, Replied{.status = 503, .retry_after = "172800"});
  EXPECT_EQ(rest_bound(trial.judge().scene(), trial.now()),
            trial.now().mono + hours(24) + seconds(2) + kGrace);
}

TEST(LeftOver, NothingAfterADayThatWentWell) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.attempt({endpoint, trial.post()}, 200);

  EXPECT_TRUE(left_over(trial.judge().scene(), rest_of(trial)).empty());
}

TEST(LeftOver, ALiveDeliveryIsLostByName) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const MessageId message = trial.post();
  trial.attempt({endpoint, message}, 500);

  const auto found = left_over(trial.judge().scene(), rest_of(trial));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, Rule::Lost);
  EXPECT_EQ(found[0].endpoint, endpoint);
  EXPECT_EQ(found[0].message, message);
  EXPECT_EQ(found[0].text, "is still retrying long after all faults");
}

TEST(LeftOver, AProducerThatWaitsIsLost) {
  const Trial trial;
  Rest rest = rest_of(trial);
  rest.are_producers_done = false;

  const auto found = left_over(Trial().judge().scene(), rest);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, Rule::Lost);
}

TEST(LeftOver, WhatTheNodeStillHasOutOrUnsettledIsLost) {
  for (const bool is_out : {true, false}) {
    const Trial trial;
    Rest rest = rest_of(trial);
    if (is_out) rest.counts.out = 1;
    if (!is_out) rest.counts.unsettled = 1;

    const auto found = left_over(Trial().judge().scene(), rest);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, Rule::Lost);
  }
}

TEST(LeftOver, ANodeThatSpinsIsRestlessAndNothingElse) {
  const Trial trial;
  Rest rest = rest_of(trial);
  rest.is_spinning = true;
  rest.are_producers_done = false;

  const auto found = left_over(Trial().judge().scene(), rest);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, Rule::Restless);
}

}  // namespace
}  // namespace petrel::sim
