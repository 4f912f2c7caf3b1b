#include "log/limiter.h"

#include <gtest/gtest.h>

namespace petrel::log {
namespace {

using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime{} + std::chrono::hours(1);

int admitted(Limiter& limiter, Kind kind, int lines, MonoTime now) {
  int count = 0;
  for (int i = 0; i < lines; ++i) count += limiter.admit(kind, now) ? 1 : 0;
  return count;
}

TEST(Limiter, WritesSoManyOfAKindAndCountsTheRest) {
  Limiter limiter;
  EXPECT_EQ(admitted(limiter, Kind::DeliveryDead, 500, kStart), 20);

  EXPECT_TRUE(limiter.take_left_out(kStart + seconds(10) - Duration(1)).empty());
  EXPECT_EQ(limiter.take_left_out(kStart + seconds(10)),
            (std::vector<Limiter::LeftOut>{{Kind::DeliveryDead, 480}}));
  EXPECT_TRUE(limiter.take_left_out(kStart + seconds(11)).empty()) << "each is told once";
}

TEST(Limiter, OneKindDoesNotUseUpAnother) {
  Limiter limiter;
  admitted(limiter, Kind::DeliveryDead, 500, kStart);
  EXPECT_TRUE(limiter.admit(Kind::CircuitOpened, kStart));
}

TEST(Limiter, ASpanThatIsOverMakesRoomAgain) {
  Limiter limiter;
  EXPECT_EQ(admitted(limiter, Kind::DeliveryDead, 20, kStart), 20);
  EXPECT_EQ(admitted(limiter, Kind::DeliveryDead, 20, kStart + seconds(10)), 20);
}

TEST(Limiter, WhatIsLeftOutAfterItsSpanIsToldWithTheRestOfIt) {
  Limiter limiter;
  admitted(limiter, Kind::DeliveryDead, 21, kStart);
  EXPECT_FALSE(limiter.admit(Kind::DeliveryDead, kStart + seconds(12)))
      << "it would come before the word of those left out";
  EXPECT_EQ(limiter.take_left_out(kStart + seconds(12)),
            (std::vector<Limiter::LeftOut>{{Kind::DeliveryDead, 2}}));
  EXPECT_TRUE(limiter.admit(Kind::DeliveryDead, kStart + seconds(12)));
}

TEST(Limiter, TellsAllAtTheEnd) {
  Limiter limiter;
  admitted(limiter, Kind::DeliveryDead, 23, kStart);
  admitted(limiter, Kind::CircuitOpened, 21, kStart);
  EXPECT_EQ(limiter.take_all_left_out(),
            (std::vector<Limiter::LeftOut>{{Kind::CircuitOpened, 1}, {Kind::DeliveryDead, 3}}));
}

TEST(Limiter, LeavesOutNoneOfAKindWithoutABound) {
  Limiter limiter;
  EXPECT_EQ(admitted(limiter, Kind::AttemptEnded, 5000, kStart), 5000);
  EXPECT_TRUE(limiter.take_all_left_out().empty());
}

}  // namespace
}  // namespace petrel::log
