#include "engine/resumption.h"

#include <gtest/gtest.h>

#include "base/secure_random.h"
#include "engine/testing/driven_core.h"

namespace petrel::engine {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// An endpoint that was paused for an hour and resumed so long before the start.
model::Endpoint resumed(Duration ago) {
  SeededSecureRandom random{1};
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
  endpoint.id = endpoint_id(1);
  endpoint.held.total = hours(1);
  endpoint.updated_at = kWallStart - ago;
  return endpoint;
}

store::KeptLane kept_lane(Duration ago, int streak) {
  store::KeptLane kept{lane::Lane({}, MonoTime{}).snapshot(MonoTime{}), kWallStart - ago};
  kept.snapshot.breaker.tally.streak = streak;
  return kept;
}

// How many a process that starts now sends at once, of a backlog of twenty.
std::size_t sent_at_once(const model::Endpoint& endpoint, std::optional<store::KeptLane> kept) {
  DrivenCore shard;
  LaneConfig config = lane_config(1);
  config.kept = with_ramp_of_resume(std::move(kept), endpoint, kWallStart);
  shard.core.configure(config, shard.now);
  shard.keep_pending(1, 20);
  shard.core.nudge(endpoint_id(1));
  shard.step();
  return shard.sent.size();
}

TEST(Resumption, ARampThatNoAttemptWasSettledInBeginsAnew) {
  EXPECT_EQ(sent_at_once(resumed(seconds(1)), std::nullopt), 1U);
  EXPECT_EQ(sent_at_once(resumed(seconds(300)), kept_lane(hours(1), 3)), 1U);
}

TEST(Resumption, WhatWasKeptBeforeThePauseIsNotForgotten) {
  const auto kept = with_ramp_of_resume(kept_lane(hours(1), 3), resumed(seconds(1)), kWallStart);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->snapshot.breaker.tally.streak, 3);
  EXPECT_EQ(kept->kept_at, kWallStart - hours(1));
}

TEST(Resumption, ALaneThatIsOnRecordSinceIsTakenAsItIs) {
  EXPECT_EQ(sent_at_once(resumed(seconds(2)), kept_lane(seconds(1), 3)), 10U);
}

TEST(Resumption, LongAfterAResumeThereIsNoRamp) {
  EXPECT_EQ(sent_at_once(resumed(seconds(301)), std::nullopt), 10U);
}

TEST(Resumption, AnEndpointThatWasNeverOffHasNoRamp) {
  model::Endpoint endpoint = resumed(seconds(1));
  endpoint.held = {};
  EXPECT_EQ(sent_at_once(endpoint, std::nullopt), 10U);
}

TEST(Resumption, AnEndpointThatIsOffKeepsWhatItHas) {
  model::Endpoint endpoint = resumed(seconds(1));
  endpoint.pause = model::Pause{kWallStart, "by a person"};
  EXPECT_EQ(with_ramp_of_resume(std::nullopt, endpoint, kWallStart), std::nullopt);
}

}  // namespace
}  // namespace petrel::engine
