#include "model/held_time.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

using std::chrono::hours;

constexpr WallTime kStart = wall_from_unix_seconds(1'800'000'000);

TEST(HeldTime, AddsUpTheTimesThatAreOver) {
  HeldTime held;
  held.note(false, kStart);
  held.note(true, kStart + hours(1));
  held.note(true, kStart + hours(2));
  EXPECT_EQ(held.total, Duration::zero());
  EXPECT_EQ(held.total_at(kStart + hours(3)), hours(2));

  held.note(false, kStart + hours(4));
  held.note(true, kStart + hours(10));
  held.note(false, kStart + hours(11));
  EXPECT_EQ(held.total, hours(4));
  EXPECT_EQ(held.total_at(kStart + hours(99)), hours(4));
}

TEST(HeldTime, IsNeverLessBecauseTheClockWasSetBack) {
  HeldTime held;
  held.note(true, kStart);
  EXPECT_EQ(held.total_at(kStart - hours(1)), Duration::zero());
  held.note(false, kStart - hours(1));
  EXPECT_EQ(held.total, Duration::zero());
}

}  // namespace
}  // namespace petrel::model
