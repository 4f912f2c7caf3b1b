#include "node/purger.h"

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class PurgerTest : public testing::Test {
 protected:
  void start(Duration period) {
    NodeSettings settings;
    settings.retention.ended = period;
    ASSERT_TRUE(world_.start(settings).ok());
  }

  ApplicationId application_for(std::optional<Duration> period) {
    model::Application application;
    application.id = ApplicationId(world_.maker.make(world_.clock.wall()));
    application.retention.ended = period;
    world_.change(store::CreateApplication{application});
    return application.id;
  }

  std::uint64_t kept(ApplicationId application) { return world_.store.kept(application)->messages; }

  // Time leaps, as it does over a suspended machine, and a little more passes by itself.
  void pass(Duration time) {
    world_.clock.time += time;
    world_.pass(seconds(1));
  }

  NodeWorld world_;
};

TEST_F(PurgerTest, SweepsEveryWhileAsLongAsTheNodeRuns) {
  start(hours(1));
  const ApplicationId application = application_for({});
  ASSERT_TRUE(world_.send(application));
  pass(minutes(59));
  EXPECT_EQ(kept(application), 1U);
  pass(minutes(3));
  EXPECT_EQ(kept(application), 0U);
  EXPECT_EQ(world_.metrics.retention().messages.value(), 1U);

  ASSERT_TRUE(world_.send(application));
  pass(minutes(62));
  EXPECT_EQ(kept(application), 0U);
  EXPECT_EQ(world_.metrics.retention().kept_messages.value(), 0);
}

TEST_F(PurgerTest, HoldsToTheApplicationsOwnPeriodsAlsoOnceItIsDeleted) {
  start(hours(24 * 90));
  const ApplicationId own = application_for(hours(72));
  const ApplicationId other = application_for({});
  ASSERT_TRUE(world_.send(own) && world_.send(other));
  world_.change(store::DeleteApplication{own, world_.clock.wall()});

  pass(hours(71));
  EXPECT_EQ(kept(own), 1U);
  pass(hours(2));
  EXPECT_EQ(kept(own), 0U);
  EXPECT_EQ(kept(other), 1U);
}

TEST_F(PurgerTest, AChangedPeriodHoldsFromTheNextSweepOn) {
  start(hours(24 * 90));
  const ApplicationId application = application_for({});
  ASSERT_TRUE(world_.send(application));
  pass(hours(4));
  model::Application changed = *world_.catalogue->application(application);
  changed.retention.ended = hours(3);
  world_.change(store::UpdateApplication{changed});
  pass(minutes(6));
  EXPECT_EQ(kept(application), 0U);
}

TEST_F(PurgerTest, GoesThroughManyMessagesInSteps) {
  start(hours(1));
  const ApplicationId application = application_for({});
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(world_.send(application));
  world_.clock.time += hours(2);
  world_.pass(milliseconds(100));
  EXPECT_GT(kept(application), 0U);
  EXPECT_LT(kept(application), 1000U);
  pass(seconds(1));
  EXPECT_EQ(kept(application), 0U);
}

// What is kept longer from now on must not go by the sweep that is under way.
TEST_F(PurgerTest, APeriodThatIsRaisedAmidASweepHoldsAtOnce) {
  start(hours(24 * 90));
  const ApplicationId application = application_for(hours(1));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(world_.send(application));
  world_.clock.time += hours(2);
  world_.pass(milliseconds(100));
  const std::uint64_t left = kept(application);
  ASSERT_GT(left, 0U);
  ASSERT_LT(left, 1000U);

  model::Application changed = *world_.catalogue->application(application);
  changed.retention.ended = hours(24 * 90);
  world_.change(store::UpdateApplication{changed});
  EXPECT_EQ(kept(application), left);
  world_.pass(seconds(5));
  EXPECT_EQ(kept(application), left);
}

TEST_F(PurgerTest, BeginsNoStepWhileTheNodeStops) {
  start(hours(1));
  const ApplicationId application = application_for({});
  ASSERT_TRUE(world_.send(application));
  world_.node->drain(seconds(1), [] {});
  world_.run();
  pass(hours(2));
  EXPECT_EQ(kept(application), 1U);
}

}  // namespace
}  // namespace petrel::node
