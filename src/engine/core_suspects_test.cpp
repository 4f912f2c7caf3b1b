// What was in flight at crashes is kept apart from the others.

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Numbers = std::vector<int>;

class CoreSuspectsTest : public testing::Test {
 protected:
  static model::DeliveryKey key(int message, int endpoint = 1) {
    return {endpoint_id(endpoint), message_id(message)};
  }

  void suspect(int message, Suspicion suspicion, int endpoint = 1) {
    list.put(key(message, endpoint), {suspicion, "it was in flight at a crash"});
  }

  Numbers sent() { return std::exchange(one.sent, {}); }

  // As the shards do when they are told.
  void hand_turn_on() {
    for (DrivenCore* each : {&one, &two}) {
      each->core.suspects_may_go();
      each->step();
    }
  }

  SuspectList list;
  DrivenCore one{CoreSettings{.suspects = &list}};
  DrivenCore two{CoreSettings{.suspects = &list}};
};

TEST_F(CoreSuspectsTest, WhatIsBarredDoesNotGoAndKeepsNobodyFromGoing) {
  one.add_lane(1);
  one.keep_pending(1, 40);
  for (int n = 1; n <= 35; ++n) suspect(n, Suspicion::Barred);  // More than a window.
  one.core.nudge(endpoint_id(1));
  one.step();
  EXPECT_EQ(sent(), (Numbers{36, 37, 38, 39, 40}));
  one.end_all(200);
  one.pass(minutes(10));
  EXPECT_EQ(sent(), Numbers{});
}

TEST_F(CoreSuspectsTest, WhatIsReleasedGoesWithTheOthers) {
  one.add_lane(1);
  suspect(1, Suspicion::Barred);
  one.accept(1);
  one.step();
  EXPECT_EQ(sent(), Numbers{});
  list.clear(key(1));
  one.core.suspects_may_go();
  one.step();
  EXPECT_EQ(sent(), Numbers{1});
}

TEST_F(CoreSuspectsTest, WhatGoesAloneGoesOneByOneOverAllShardsAndTheOthersGoOn) {
  one.add_lane(1);
  two.add_lane(2);
  for (int n = 1; n <= 2; ++n) {
    suspect(n, Suspicion::Alone);
    one.accept(n);
  }
  suspect(3, Suspicion::Alone, 2);
  two.accept(3, 2);
  one.accept(9);
  one.step();
  two.step();
  EXPECT_EQ(sent(), (Numbers{1, 9}));
  EXPECT_EQ(two.sent, Numbers{});
  one.accept(10);
  one.step();
  EXPECT_EQ(sent(), Numbers{10});

  // Whatever became of it, it is a suspect no more, and the next one may go.
  one.end(1, 500);
  ASSERT_EQ(one.suspects_ended.size(), 1U);
  EXPECT_EQ(one.suspects_ended[0].delivery, key(1));
  EXPECT_TRUE(one.suspects_ended[0].had_turn);
  EXPECT_TRUE(one.suspects_ended[0].is_cleared);
  EXPECT_EQ(list.of(key(1)), Suspicion::None);
  hand_turn_on();
  EXPECT_EQ(one.sent.size() + two.sent.size(), 1U);
  one.sent.empty() ? two.end(3, 200) : one.end(2, 200);
  hand_turn_on();
  EXPECT_EQ(one.sent.size() + two.sent.size(), 2U);
}

TEST_F(CoreSuspectsTest, KeepsTheTurnUntilWhatBecameOfItIsOnDisk) {
  one.mood = DrivenCore::StoreMood::Slow;
  one.add_lane(1);
  for (int n = 1; n <= 2; ++n) {
    suspect(n, Suspicion::Alone);
    one.accept(n);
  }
  one.step();
  EXPECT_EQ(sent(), Numbers{1});
  one.end(1, 200);
  hand_turn_on();
  EXPECT_EQ(sent(), Numbers{});
  one.answer_settlement(1);
  hand_turn_on();
  EXPECT_EQ(sent(), Numbers{2});
}

TEST_F(CoreSuspectsTest, AFaultOfOursGivesTheTurnBackAndClearsNothing) {
  one.add_lane(1);
  suspect(1, Suspicion::Alone);
  one.accept(1);
  one.step();
  EXPECT_EQ(sent(), Numbers{1});
  one.end(1, model::AttemptResult{});
  ASSERT_EQ(one.suspects_ended.size(), 1U);
  EXPECT_TRUE(one.suspects_ended[0].had_turn);
  EXPECT_FALSE(one.suspects_ended[0].is_cleared);
  EXPECT_EQ(list.of(key(1)), Suspicion::Alone);
  one.pass(seconds(2));
  EXPECT_EQ(sent(), Numbers{1});
}

TEST_F(CoreSuspectsTest, OneThatMayNotGoYetKeepsTheTurnFromNobody) {
  one.add_lane(1, {.may_send = false});
  two.add_lane(2);
  suspect(1, Suspicion::Alone);
  suspect(2, Suspicion::Alone, 2);
  one.accept(1);
  one.step();
  two.accept(2, 2);
  two.step();
  EXPECT_EQ(sent(), Numbers{});
  EXPECT_EQ(two.sent, Numbers{2});
}

TEST_F(CoreSuspectsTest, WhatIsWatchedGoesLikeTheOthersAndIsClearedByItsEnd) {
  one.add_lane(1);
  for (int n = 1; n <= 3; ++n) {
    suspect(n, Suspicion::Watched);
    one.accept(n);
  }
  one.step();
  EXPECT_EQ(sent(), (Numbers{1, 2, 3}));
  one.end(2, 500);
  ASSERT_EQ(one.suspects_ended.size(), 1U);
  EXPECT_FALSE(one.suspects_ended[0].had_turn);
  EXPECT_TRUE(one.suspects_ended[0].is_cleared);
  EXPECT_EQ(list.of(key(2)), Suspicion::None);
  EXPECT_EQ(list.of(key(3)), Suspicion::Watched);
}

TEST_F(CoreSuspectsTest, WhatIsHeldDoesNotExpire) {
  one.add_lane(1);
  one.keep(retrying(1));  // Its time runs out after an hour.
  suspect(1, Suspicion::Barred);
  one.core.nudge(endpoint_id(1));
  one.step();
  one.pass(std::chrono::hours(3));
  EXPECT_EQ(sent(), Numbers{});
  EXPECT_EQ(one.live.size(), 1U);
  EXPECT_EQ(list.of(key(1)), Suspicion::Barred);
}

TEST_F(CoreSuspectsTest, WhatIsHeldEndsWithItsEndpoint) {
  one.add_lane(1);
  suspect(1, Suspicion::Barred);
  one.accept(1);
  one.step();
  LaneConfig deleted = lane_config(1);
  deleted.is_deleted = true;
  one.core.configure(std::move(deleted), one.now);
  one.step();
  EXPECT_TRUE(one.live.empty());
  EXPECT_EQ(list.of(key(1)), Suspicion::None);
}

TEST_F(CoreSuspectsTest, ALookBringsWhatIsHeldAsTheStoreHasItNow) {
  one.add_lane(1);
  suspect(1, Suspicion::Barred);
  one.accept(1);
  one.step();
  model::Delivery later = pending(1);
  later.progress.give_up_at = kWallStart + minutes(7);
  one.keep(later);
  list.clear(key(1));
  one.core.nudge(endpoint_id(1));
  one.step();
  EXPECT_EQ(sent(), Numbers{1});
  one.end(1, 500);
  ASSERT_EQ(one.live.size(), 1U);
  EXPECT_EQ(one.live.begin()->second.progress.give_up_at, kWallStart + minutes(7));
}

}  // namespace
}  // namespace petrel::engine
