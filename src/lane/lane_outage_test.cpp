// What a lane does around an outage: the end of its ramp, and what it remembers to release.

#include <chrono>

#include <gtest/gtest.h>

#include "lane/testing/scene.h"

namespace petrel::lane {
namespace {

using std::chrono::seconds;

TEST(Lane, E6_ADeliveryExhaustedByAnAttemptFromBeforeTheCircuitOpenedDoesNotCount) {
  Scene scene;
  AttemptReport last = answered(500);
  last.is_exhausted = true;
  ASSERT_TRUE(scene.start());
  const Lane::Ticket late = scene.out.front();
  scene.out.clear();
  scene.open_circuit();
  scene.start_probe();
  scene.end(answered(404));
  for (int i = 0; i < 9; ++i) scene.lane.exhausted(scene.now, scene.random);

  scene.lane.settle(late, last, scene.now, scene.random);

  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
}

TEST(Lane, E6_ADeliveryExhaustedByTheProbeThatClosesTheCircuitDoesNotCount) {
  Scene scene;
  AttemptReport last = answered(404);
  last.is_exhausted = true;
  scene.open_circuit();
  scene.start_probe();
  scene.end(last);

  for (int i = 0; i < 9; ++i) scene.lane.exhausted(scene.now, scene.random);
  EXPECT_EQ(scene.lane.breaker().state(), State::Closed);
  scene.lane.exhausted(scene.now, scene.random);
  EXPECT_EQ(scene.lane.breaker().state(), State::Open);
}

TEST(Lane, D4_ARampEndsOnAnIdleLane) {
  Scene scene;
  scene.recover();
  EXPECT_EQ(scene.lane.ramp_step_ends_at(), scene.now + seconds(5));

  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);

  EXPECT_EQ(scene.lane.ramp_step_ends_at(), std::nullopt);
  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));
  EXPECT_EQ(scene.lane.breaker().first_opened(), std::nullopt);
}

TEST(Lane, D4_ARampGoesOnWhileAnAttemptIsInFlight) {
  Scene scene;
  scene.recover();
  ASSERT_TRUE(scene.start());
  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);
  ASSERT_TRUE(scene.lane.ramp().is_active(scene.now));

  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);

  EXPECT_TRUE(scene.lane.ramp().is_active(scene.now));
}

TEST(Lane, AnOutageIsToBeReleasedWhenTheRampAfterItIsOver) {
  Scene scene({.releases_after_outage = true});
  scene.recover();
  const Outage outage = {.began = kStart, .ended = scene.now};
  EXPECT_EQ(scene.lane.outage_to_release(), std::nullopt);
  EXPECT_FALSE(scene.lane.is_at_ease(scene.now));

  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);

  EXPECT_EQ(scene.lane.outage_to_release(), outage);
  EXPECT_FALSE(scene.lane.is_at_ease(scene.now));
  scene.lane.release_through();
  EXPECT_EQ(scene.lane.outage_to_release(), std::nullopt);
  EXPECT_TRUE(scene.lane.is_at_ease(scene.now));
}

TEST(Lane, ACircuitThatOpensAgainBeforeTheReleaseIsThroughIsTheSameOutage) {
  Scene scene({.releases_after_outage = true});
  scene.recover();
  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);
  ASSERT_TRUE(scene.lane.outage_to_release());

  scene.recover();
  const MonoTime ended = scene.now;
  EXPECT_EQ(scene.lane.outage_to_release(), std::nullopt);
  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);

  EXPECT_EQ(scene.lane.outage_to_release(), (Outage{.began = kStart, .ended = ended}));
}

TEST(Lane, AReleaseWaitsForTheRampAfterAPause) {
  Scene scene({.releases_after_outage = true});
  scene.recover();
  scene.configure({.may_send = false, .releases_after_outage = true});
  EXPECT_EQ(scene.lane.outage_to_release(), std::nullopt);
  scene.configure({.releases_after_outage = true});
  EXPECT_EQ(scene.lane.outage_to_release(), std::nullopt);

  scene.now += seconds(5);
  scene.lane.pass(scene.now, false);

  EXPECT_TRUE(scene.lane.outage_to_release());
}

TEST(Lane, APauseInTheRampEndsTheTimeSinceTheFirstOpening) {
  Scene scene;
  scene.recover();
  ASSERT_TRUE(scene.lane.breaker().first_opened());
  scene.configure({.may_send = false});
  EXPECT_EQ(scene.lane.breaker().first_opened(), std::nullopt);

  Scene open;
  open.open_circuit();
  open.configure({.may_send = false});
  EXPECT_TRUE(open.lane.breaker().first_opened());
}

TEST(Lane, ReleasesNothingIfItIsSetNotTo) {
  Scene never({.releases_after_outage = false});
  never.recover();
  never.now += seconds(5);
  never.lane.pass(never.now, false);
  EXPECT_EQ(never.lane.outage_to_release(), std::nullopt);

  Scene later({.releases_after_outage = true});
  later.recover();
  later.configure({.releases_after_outage = false});
  later.now += seconds(5);
  later.lane.pass(later.now, false);
  EXPECT_EQ(later.lane.outage_to_release(), std::nullopt);
}

TEST(Lane, D4_AnOpenCircuitRampsWhenItClosesAndNotWhenItIsResumed) {
  Scene scene;
  scene.open_circuit();
  scene.configure({.may_send = false});
  scene.configure({});
  EXPECT_FALSE(scene.lane.ramp().is_active(scene.now));

  scene.start_probe();
  scene.end(success());

  EXPECT_TRUE(scene.lane.ramp().is_active(scene.now));
}

}  // namespace
}  // namespace petrel::lane
