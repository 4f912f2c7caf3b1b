#include "store/kept_lane.h"

#include <chrono>
#include <string>
#include <string_view>

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
  kept.snapshot.breaker.first_opened_ago = seconds(3'000);
  kept.snapshot.breaker.open_left = seconds(41);
  kept.snapshot.breaker.former_rate = lane::Rate::of(7, seconds(3));
  kept.snapshot.breaker.tally.streak = 20;
  kept.snapshot.breaker.tally.exhausted_ago = {seconds(500), seconds(2)};
  kept.snapshot.breaker.tally.last_success_ago = seconds(90'000);
  kept.snapshot.ramp.is_active = true;
  kept.snapshot.ramp.rate = lane::Rate::per_second(12);
  kept.snapshot.ramp.in_flight_max = 4;
  kept.snapshot.hold_left = seconds(17);
  kept.snapshot.in_flight_limit = 5;
  kept.snapshot.permanent_streak = 99;
  kept.snapshot.outage = {.began_ago = seconds(700), .ended_ago = seconds(60)};
  return kept;
}

std::string bytes_of(const KeptLane& kept) {
  std::string bytes;
  encode(kept, bytes);
  return bytes;
}

// troubled(), in the form that version 0.1 wrote.
constexpr std::string_view kFirstForm =
    "0180066517289880000180aaea55143230206661696c7572657320696e206120726f770680f18c27"
    "010e809bee0228028094ebdc038092f4010106a0c21e0880999b100ac601";

std::string bytes_from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(KeptLane, ComesBackAsItWas) {
  EXPECT_EQ(decode_kept_lane(bytes_of(troubled())).value(), troubled());
  EXPECT_EQ(decode_kept_lane(bytes_of({})).value(), KeptLane{});
}

TEST(KeptLane, TheFirstFormIsRead) {
  KeptLane expected = troubled();
  expected.snapshot.breaker.first_opened_ago = expected.snapshot.breaker.since_ago;
  expected.snapshot.breaker.tally.last_success_ago.reset();
  expected.snapshot.outage.reset();

  EXPECT_EQ(decode_kept_lane(bytes_from_hex(kFirstForm)).value(), expected);
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
