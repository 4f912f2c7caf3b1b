#include "sim/judge/crowd_check.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const EndpointId kEndpoint;

Start start(Duration at, Duration delay) {
  return {{MonoTime(at), wall_from_unix_seconds(1'800'000'000) + at}, delay};
}

TEST(CrowdCheck, AStartMayBeAsMuchLaterAsIsAllowed) {
  const StartDelays alone = {{{kEndpoint, "a"}, start(seconds(1), milliseconds(5))}};
  const StartDelays at_most = {{{kEndpoint, "a"}, start(seconds(2), milliseconds(15))}};
  const StartDelays more = {{{kEndpoint, "a"}, start(seconds(2), milliseconds(15) + Duration(1))}};

  EXPECT_TRUE(crowd_check(alone, at_most, milliseconds(10)).empty());
  EXPECT_EQ(crowd_check(alone, more, milliseconds(10)).size(), 1U);
}

TEST(CrowdCheck, SaysWhenItWasSentAtLast) {
  const StartDelays alone = {{{kEndpoint, "a"}, start(seconds(1), milliseconds(5))}};
  const StartDelays crowded = {{{kEndpoint, "a"}, start(seconds(2), seconds(1))}};

  const auto accusations = crowd_check(alone, crowded, milliseconds(10));

  ASSERT_EQ(accusations.size(), 1U);
  EXPECT_EQ(accusations[0].rule, Rule::Unfair);
  EXPECT_EQ(accusations[0].at.mono, MonoTime(seconds(2)));
  EXPECT_EQ(accusations[0].line().substr(0, 20), "2027-01-15T08:00:02.");
}

TEST(CrowdCheck, WhatIsNeverSentIsMissedWhenItWentWithoutStorms) {
  const StartDelays alone = {{{kEndpoint, "a"}, start(seconds(1), milliseconds(5))}};

  const auto accusations = crowd_check(alone, {}, milliseconds(10));

  ASSERT_EQ(accusations.size(), 1U);
  EXPECT_EQ(accusations[0].at.mono, MonoTime(seconds(1)));
  EXPECT_EQ(accusations[0].text, "a was never sent because of storms elsewhere");
}

}  // namespace
}  // namespace petrel::sim::judge
