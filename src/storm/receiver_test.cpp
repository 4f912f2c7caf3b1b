#include "storm/receiver.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::storm {
namespace {

using policy::FailureKind;
using policy::Outcome;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(seconds(1'000));
constexpr Outage kNoOutage{.from = MonoTime{}, .until = MonoTime{}};

// Ten a second, so each request is 100 ms of work.
ReceiverSettings ten_a_second() {
  return {.capacity = 10,
          .latency = milliseconds(50),
          .crash_after = seconds(2),
          .crash_for = seconds(30)};
}

Outage outage(OutageKind kind) {
  return {.from = kStart, .until = kStart + seconds(60), .kind = kind};
}

TEST(Receiver, AnswersAfterItsLatencyAndWhatWasTakenOnBefore) {
  Receiver receiver(ten_a_second(), kNoOutage);

  const Receiver::Answer first = receiver.take(kStart);
  const Receiver::Answer second = receiver.take(kStart);
  const Receiver::Answer third = receiver.take(kStart + milliseconds(150));

  EXPECT_EQ(first.outcome, Outcome::answered(200));
  EXPECT_EQ(first.after, milliseconds(50));
  EXPECT_EQ(second.after, milliseconds(150));
  EXPECT_EQ(third.after, milliseconds(100));
}

TEST(Receiver, TurnsAwayWhatIsMoreThanASecondOfWork) {
  Receiver receiver(ten_a_second(), kNoOutage);

  for (int i = 0; i < 10; ++i) EXPECT_TRUE(receiver.take(kStart).is_taken_on);
  const Receiver::Answer turned_away = receiver.take(kStart);

  EXPECT_EQ(turned_away.outcome, Outcome::answered(503));
  EXPECT_FALSE(turned_away.is_taken_on);
  EXPECT_FALSE(turned_away.is_last_straw);
  EXPECT_TRUE(receiver.take(kStart + milliseconds(100)).is_taken_on);
}

TEST(Receiver, FallsOverWhenTwoSecondsOfWorkAreExceeded) {
  Receiver receiver(ten_a_second(), kNoOutage);

  for (int i = 0; i < 20; ++i) EXPECT_FALSE(receiver.take(kStart).is_last_straw);
  const Receiver::Answer last = receiver.take(kStart);

  EXPECT_TRUE(last.is_last_straw);
  EXPECT_EQ(last.outcome, Outcome::failed(FailureKind::Reset));
}

TEST(Receiver, RefusesWhileItIsDownAndComesBackWithNothingToDo) {
  Receiver receiver(ten_a_second(), kNoOutage);
  for (int i = 0; i < 21; ++i) (void)receiver.take(kStart);

  const Receiver::Answer down = receiver.take(kStart + seconds(30) - milliseconds(1));
  const Receiver::Answer up = receiver.take(kStart + seconds(30));

  EXPECT_EQ(down.outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_FALSE(down.is_last_straw);
  EXPECT_EQ(up.outcome, Outcome::answered(200));
  EXPECT_EQ(up.after, milliseconds(50));
}

TEST(Receiver, HoldsOutForEverAtItsCapacity) {
  Receiver receiver(ten_a_second(), kNoOutage);

  for (int i = 0; i < 36'000; ++i) {
    ASSERT_TRUE(receiver.take(kStart + i * milliseconds(100)).is_taken_on);
  }
}

TEST(Receiver, FallsOverAfterEightSecondsAtAQuarterMoreThanItCanDo) {
  Receiver receiver(ten_a_second(), kNoOutage);

  int turned_away_first = -1;
  int fell_over = -1;
  for (int i = 0; fell_over < 0 && i < 1'000; ++i) {
    const Receiver::Answer answer = receiver.take(kStart + i * milliseconds(80));
    if (answer.is_last_straw) fell_over = i;
    if (turned_away_first < 0 && !answer.is_taken_on) turned_away_first = i;
  }

  // Each is 100 ms of work and 80 ms after the one before, and the first adds all of its own.
  EXPECT_EQ(turned_away_first, 46);
  EXPECT_EQ(fell_over, 96);
}

TEST(Receiver, IsAwayInTheWayThatWasChosen) {
  Receiver refuses(ten_a_second(), outage(OutageKind::Refuses));
  Receiver says_503(ten_a_second(), outage(OutageKind::Answers503));
  Receiver hangs(ten_a_second(), outage(OutageKind::Hangs));

  EXPECT_EQ(refuses.take(kStart).outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_EQ(says_503.take(kStart).outcome, Outcome::answered(503));
  EXPECT_EQ(hangs.take(kStart).after, Duration::max());
}

TEST(Receiver, AnOutageEndsAtItsMomentAndWasNoLoad) {
  Receiver receiver(ten_a_second(), outage(OutageKind::Refuses));

  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(receiver.take(kStart).is_last_straw);
  const Receiver::Answer during = receiver.take(kStart + seconds(60) - Duration(1));
  const Receiver::Answer after = receiver.take(kStart + seconds(60));

  EXPECT_EQ(during.outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_EQ(after.outcome, Outcome::answered(200));
  EXPECT_EQ(after.after, milliseconds(50));
}

TEST(Receiver, CountsWorkExactlyWhenACapacityDoesNotDivideASecond) {
  Receiver receiver({.capacity = 70'000}, kNoOutage);

  int taken_on = 0;
  while (receiver.take(kStart).is_taken_on) ++taken_on;

  // Rounded to whole nanoseconds of work a request, one or two more fit; in microseconds it would
  // be a thousand.
  EXPECT_GE(taken_on, 70'000);
  EXPECT_LE(taken_on, 70'004);
}

}  // namespace
}  // namespace petrel::storm
