#include "store/kept_lane.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::store {
namespace {

using std::chrono::seconds;

KeptLane troubled() {
  KeptLane kept;
  kept.kept_at = wall_from_unix_seconds(1'800'000'000);
  kept.snapshot.breaker.state = lane::CircuitBreaker::State::Open;
  kept.snapshot.breaker.since_ago = seconds(90);
  kept.snapshot.breaker.why = "20 failures in a row";
  kept.snapshot.breaker.openings = 3;
  kept.snapshot.breaker.open_left = seconds(41);
  kept.snapshot.breaker.former_rate = lane::Rate::of(7, seconds(3));
  kept.snapshot.breaker.tally.streak = 20;
  kept.snapshot.breaker.tally.exhausted_ago = {seconds(500), seconds(2)};
  kept.snapshot.ramp.is_active = true;
  kept.snapshot.ramp.rate = lane::Rate::per_second(12);
  kept.snapshot.ramp.in_flight_max = 4;
  kept.snapshot.hold_left = seconds(17);
  kept.snapshot.in_flight_limit = 5;
  kept.snapshot.permanent_streak = 99;
  return kept;
}

std::string bytes_of(const KeptLane& kept) {
  std::string bytes;
  encode(kept, bytes);
  return bytes;
}

TEST(KeptLane, ComesBackAsItWas) {
  EXPECT_EQ(decode_kept_lane(bytes_of(troubled())).value(), troubled());
  EXPECT_EQ(decode_kept_lane(bytes_of({})).value(), KeptLane{});
}

TEST(KeptLane, WhateverIsCutShortOrLeftOverIsCorrupt) {
  const std::string bytes = bytes_of(troubled());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_kept_lane(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(decode_kept_lane(bytes + "x").ok());
}

TEST(KeptLane, AnyByteMayBeWrongWithoutHarm) {
  const std::string bytes = bytes_of(troubled());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string wrong = bytes;
      wrong[i] = static_cast<char>(value);
      (void)decode_kept_lane(wrong);
    }
  }
}

}  // namespace
}  // namespace petrel::store
