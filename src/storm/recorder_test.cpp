#include "storm/recorder.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::storm {
namespace {

using model::DeliveryState;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kStart = wall_from_unix_seconds(1'800'000'000);

// Two messages during an outage from 10 s to 20 s, one after it; two for the neighbour.
struct Scene {
  Scene() {
    for (std::size_t place = 0; place < arrivals.size(); ++place) recorder.accepted(place);
  }

  void settle(std::size_t place, DeliveryState state, Duration at) {
    model::Settlement settlement;
    settlement.delivery.key.message = message_id(place, kStart + arrivals[place].at);
    settlement.delivery.state = state;
    settlement.attempt.emplace();
    recorder.settled(settlement, at);
  }

  static Scenario outage_of_ten_seconds() {
    Scenario scenario;
    scenario.messages = 3;
    scenario.outage_at = seconds(10);
    scenario.outage = seconds(10);
    return scenario;
  }

  std::vector<Arrival> arrivals = {{seconds(11), Party::Stricken},
                                   {seconds(12), Party::Neighbour},
                                   {seconds(13), Party::Stricken},
                                   {seconds(24), Party::Neighbour},
                                   {seconds(25), Party::Stricken}};
  Recorder recorder{outage_of_ten_seconds(), arrivals};
};

TEST(Recorder, DrainedIsWhenTheLastOfTheBacklogHasEnded) {
  Scene scene;

  scene.settle(0, DeliveryState::Delivered, seconds(21));
  EXPECT_EQ(scene.recorder.score().drained_after, std::nullopt);
  scene.settle(2, DeliveryState::Dead, seconds(24));
  EXPECT_EQ(scene.recorder.score().drained_after, seconds(4));
  scene.settle(4, DeliveryState::Delivered, seconds(99));

  const Score score = scene.recorder.score();
  EXPECT_EQ(score.drained_after, seconds(4));
  EXPECT_EQ(score.delivered, 2);
  EXPECT_EQ(score.dead, 1);
  EXPECT_EQ(score.unfinished, 0);
}

TEST(Recorder, ABacklogThatDiedBeforeTheRecoveryWasDrainedAtOnce) {
  Scene scene;

  scene.settle(0, DeliveryState::Dead, seconds(15));
  scene.settle(2, DeliveryState::Dead, seconds(16));

  EXPECT_EQ(scene.recorder.score().drained_after, seconds(0));
}

TEST(Recorder, DelaysAreThoseOfTheOutagesMessagesAndTheNeighboursAreApart) {
  Scene scene;

  scene.settle(0, DeliveryState::Delivered, seconds(21));
  scene.settle(2, DeliveryState::Delivered, seconds(43));
  scene.settle(4, DeliveryState::Delivered, seconds(26));
  scene.settle(1, DeliveryState::Delivered, seconds(12) + milliseconds(50));
  scene.settle(3, DeliveryState::Delivered, seconds(24) + milliseconds(70));

  const Score score = scene.recorder.score();
  EXPECT_EQ(score.delay_p50, seconds(10));
  EXPECT_EQ(score.delay_p99, seconds(30));
  EXPECT_EQ(score.neighbour_p99, milliseconds(70));
  EXPECT_EQ(score.neighbour_max, milliseconds(70));
  EXPECT_TRUE(scene.recorder.is_all_settled());
}

TEST(Recorder, AttemptsThatDidNotDeliverAreWasted) {
  Scene scene;

  for (int i = 0; i < 3; ++i) scene.recorder.requested(seconds(11));
  scene.settle(0, DeliveryState::Retrying, seconds(11));
  scene.settle(0, DeliveryState::Retrying, seconds(12));
  scene.settle(0, DeliveryState::Delivered, seconds(21));

  const Score score = scene.recorder.score();
  EXPECT_EQ(score.attempts, 3);
  EXPECT_EQ(score.wasted, 2);
  EXPECT_EQ(score.delivered, 1);
  EXPECT_EQ(score.unfinished, 2);
}

TEST(Recorder, OneThatExpiredWithoutAnAttemptWastedNone) {
  Scene scene;
  model::Settlement expired;
  expired.delivery.key.message = message_id(0, kStart);
  expired.delivery.state = DeliveryState::Dead;

  scene.recorder.settled(expired, seconds(30));

  EXPECT_EQ(scene.recorder.score().dead, 1);
  EXPECT_EQ(scene.recorder.score().wasted, 0);
}

TEST(Recorder, ThePeakIsOfOneSecondFromTheRecoveryOn) {
  Scene scene;

  for (int i = 0; i < 50; ++i) scene.recorder.requested(seconds(19) + milliseconds(i));
  for (int i = 0; i < 7; ++i) scene.recorder.requested(seconds(20) + milliseconds(999));
  for (int i = 0; i < 6; ++i) scene.recorder.requested(seconds(21));

  EXPECT_EQ(scene.recorder.score().peak_per_second, 7);
}

TEST(Recorder, TheTimelineHasEverySecond) {
  Scene scene;

  scene.recorder.requested(seconds(11));
  scene.recorder.requested(seconds(13));
  scene.recorder.crashed(seconds(14));
  scene.settle(0, DeliveryState::Delivered, seconds(21));

  const Timeline timeline = scene.recorder.timeline();
  ASSERT_EQ(timeline.requests.size(), 26U);
  ASSERT_EQ(timeline.waiting.size(), 26U);
  EXPECT_EQ(timeline.requests[11], 1);
  EXPECT_EQ(timeline.requests[12], 0);
  EXPECT_EQ(timeline.waiting[10], 0);
  EXPECT_EQ(timeline.waiting[12], 1);
  EXPECT_EQ(timeline.waiting[20], 2);
  EXPECT_EQ(timeline.waiting[21], 1);
  EXPECT_EQ(timeline.waiting[25], 2);
  EXPECT_EQ(timeline.crashes, std::vector<Duration>{seconds(14)});
  EXPECT_EQ(scene.recorder.score().crashes, 1);
}

}  // namespace
}  // namespace petrel::storm
