#include "sim/judge/adaptive_limit_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::seconds;

MonoTime at(int second) { return MonoTime(seconds(second)); }

void end(AdaptiveLimitModel& limit, Load load, int begun, int now) {
  limit.ended({at(begun), at(begun), at(now)}, load);
}

TEST(AdaptiveLimitModel, StartsAtTenOrTheMaximum) {
  EXPECT_EQ(AdaptiveLimitModel({50, 50}).largest(), 10);
  EXPECT_EQ(AdaptiveLimitModel({4, 4}).largest(), 4);
}

TEST(AdaptiveLimitModel, AFullRoundOfGoodAnswersMakesItOneMore) {
  AdaptiveLimitModel limit({50, 50});
  for (int i = 0; i < 9; ++i) end(limit, Load::Good, 1, 2);
  EXPECT_EQ(limit.largest(), 10);

  end(limit, Load::Good, 1, 2);

  EXPECT_EQ(limit.largest(), 11);
  EXPECT_EQ(limit.smallest(), 11);
}

TEST(AdaptiveLimitModel, IsHalvedOncePerRoundTrip) {
  AdaptiveLimitModel limit({10, 10});
  end(limit, Load::Pushback, 1, 5);
  end(limit, Load::Pushback, 4, 6);
  EXPECT_EQ(limit.largest(), 5);

  end(limit, Load::Pushback, 6, 7);

  EXPECT_EQ(limit.largest(), 2);
}

TEST(AdaptiveLimitModel, RemembersHowLargeItWas) {
  AdaptiveLimitModel limit({10, 10});

  end(limit, Load::Pushback, 1, 5);

  EXPECT_EQ(limit.largest_since(at(5)), 10);
  EXPECT_EQ(limit.largest_since(at(6)), 5);
}

TEST(AdaptiveLimitModel, NeverGoesUnderOne) {
  AdaptiveLimitModel limit({1, 1});

  end(limit, Load::Pushback, 1, 2);

  EXPECT_EQ(limit.largest(), 1);
}

TEST(AdaptiveLimitModel, WhatWaitedForItsPayloadMayHaveBegunBeforeTheHalving) {
  AdaptiveLimitModel limit({10, 10});
  end(limit, Load::Pushback, 1, 5);

  limit.ended({at(4), at(6), at(7)}, Load::Pushback);

  EXPECT_EQ(limit.largest(), 5);
  EXPECT_EQ(limit.smallest(), 2);
}

TEST(AdaptiveLimitModel, ARestartFindsWhatWasKeptOrStartsAfresh) {
  AdaptiveLimitModel limit({10, 10});
  end(limit, Load::Pushback, 1, 5);
  limit.kept();

  limit.restarted();

  EXPECT_EQ(limit.largest(), 10);
  EXPECT_EQ(limit.smallest(), 5);
}

TEST(AdaptiveLimitModel, ALowerMaximumHoldsAtOnce) {
  AdaptiveLimitModel limit({10, 10});

  limit.set_max({3, 10}, at(9));
  EXPECT_EQ(limit.largest(), 10);
  limit.set_max({3, 3}, at(9));

  EXPECT_EQ(limit.largest(), 3);
}

}  // namespace
}  // namespace petrel::sim::judge
