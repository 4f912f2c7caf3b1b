#include "lane/in_flight_limit.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::lane {
namespace {

using Answer = InFlightLimit::Answer;
using Slot = InFlightLimit::Slot;

InFlightLimit limit_with_max(std::int32_t max) { return InFlightLimit({.max = max}); }

std::vector<Slot> acquire_all(InFlightLimit& limit) {
  std::vector<Slot> slots;
  while (auto slot = limit.try_acquire()) slots.push_back(*slot);
  return slots;
}

// One request after another, each with the same answer.
void answer_times(InFlightLimit& limit, int times, Answer answer) {
  for (int i = 0; i < times; ++i) limit.release(limit.try_acquire().value(), answer);
}

TEST(InFlightLimit, C6_D3_D6_AllowsTenAtOnceByDefault) {
  InFlightLimit limit({});

  EXPECT_EQ(acquire_all(limit).size(), 10U);
  EXPECT_EQ(limit.in_flight(), 10);
  EXPECT_FALSE(limit.try_acquire());
}

TEST(InFlightLimit, StartsAtTenOrAtALowerMaximum) {
  EXPECT_EQ(limit_with_max(50).limit(), 10);
  EXPECT_EQ(limit_with_max(10).limit(), 10);
  EXPECT_EQ(limit_with_max(3).limit(), 3);
}

TEST(InFlightLimit, ReleasingASlotMakesRoomForOne) {
  InFlightLimit limit = limit_with_max(2);
  const auto slots = acquire_all(limit);

  limit.release(slots[0], Answer::Other);

  EXPECT_TRUE(limit.try_acquire());
  EXPECT_FALSE(limit.try_acquire());
}

TEST(InFlightLimit, GrowsByOneForAFullRoundOfGoodAnswers) {
  InFlightLimit limit = limit_with_max(50);

  answer_times(limit, 9, Answer::Good);
  EXPECT_EQ(limit.limit(), 10);
  answer_times(limit, 1, Answer::Good);
  EXPECT_EQ(limit.limit(), 11);
  answer_times(limit, 10, Answer::Good);
  EXPECT_EQ(limit.limit(), 11);
  answer_times(limit, 1, Answer::Good);
  EXPECT_EQ(limit.limit(), 12);
}

TEST(InFlightLimit, NeverGrowsAboveTheMaximum) {
  InFlightLimit limit = limit_with_max(11);

  answer_times(limit, 1'000, Answer::Good);

  EXPECT_EQ(limit.limit(), 11);
}

TEST(InFlightLimit, APushbackHalvesItAndNeverBelowOne) {
  InFlightLimit limit = limit_with_max(10);

  answer_times(limit, 1, Answer::Pushback);
  EXPECT_EQ(limit.limit(), 5);
  answer_times(limit, 1, Answer::Pushback);
  EXPECT_EQ(limit.limit(), 2);
  answer_times(limit, 5, Answer::Pushback);
  EXPECT_EQ(limit.limit(), 1);
}

TEST(InFlightLimit, IsHalvedOncePerRoundTrip) {
  InFlightLimit limit = limit_with_max(10);
  const auto slots = acquire_all(limit);

  for (const Slot& slot : slots) limit.release(slot, Answer::Pushback);
  EXPECT_EQ(limit.limit(), 5);

  answer_times(limit, 1, Answer::Pushback);
  EXPECT_EQ(limit.limit(), 2);
}

TEST(InFlightLimit, GoodAnswersFromBeforeTheHalvingDoNotCountForTheNextRound) {
  InFlightLimit limit = limit_with_max(10);
  const auto slots = acquire_all(limit);
  limit.release(slots[0], Answer::Pushback);

  for (std::size_t i = 1; i < slots.size(); ++i) limit.release(slots[i], Answer::Good);

  EXPECT_EQ(limit.limit(), 5);
}

TEST(InFlightLimit, AHalvingStartsTheRoundOver) {
  InFlightLimit limit = limit_with_max(10);
  answer_times(limit, 4, Answer::Good);
  answer_times(limit, 1, Answer::Pushback);

  answer_times(limit, 4, Answer::Good);
  EXPECT_EQ(limit.limit(), 5);
  answer_times(limit, 1, Answer::Good);
  EXPECT_EQ(limit.limit(), 6);
}

TEST(InFlightLimit, OtherAnswersChangeNothing) {
  InFlightLimit limit = limit_with_max(50);

  answer_times(limit, 5, Answer::Good);
  answer_times(limit, 100, Answer::Other);
  EXPECT_EQ(limit.limit(), 10);
  answer_times(limit, 5, Answer::Good);

  EXPECT_EQ(limit.limit(), 11);
}

TEST(InFlightLimit, AMaximumBelowWhatIsInFlightStopsNewRequestsUntilItFell) {
  InFlightLimit limit = limit_with_max(10);
  const auto slots = acquire_all(limit);

  limit.set_max(2);

  EXPECT_EQ(limit.in_flight(), 10);
  for (std::size_t i = 0; i < 8; ++i) limit.release(slots[i], Answer::Other);
  EXPECT_FALSE(limit.try_acquire());
  limit.release(slots[8], Answer::Other);
  EXPECT_TRUE(limit.try_acquire());
  EXPECT_FALSE(limit.try_acquire());
}

TEST(InFlightLimit, AHigherMaximumIsReachedRoundByRound) {
  InFlightLimit limit = limit_with_max(2);

  limit.set_max(4);

  EXPECT_EQ(limit.limit(), 2);
  answer_times(limit, 2, Answer::Good);
  EXPECT_EQ(limit.limit(), 3);
}

TEST(InFlightLimit, AMaximumThatStaysTheSameDoesNotStartTheRoundOver) {
  InFlightLimit limit({.max = 4, .first = 2});
  answer_times(limit, 1, Answer::Good);
  limit.set_max(4);
  answer_times(limit, 1, Answer::Good);
  EXPECT_EQ(limit.limit(), 3);
}

TEST(InFlightLimit, ExplainsTheWait) {
  InFlightLimit limit = limit_with_max(10);
  EXPECT_EQ(limit.explain(MonoTime()), "");

  const auto slots = acquire_all(limit);
  EXPECT_EQ(limit.explain(MonoTime()), "10 of 10 requests are in flight");

  limit.release(slots[0], Answer::Pushback);
  EXPECT_EQ(limit.explain(MonoTime()),
            "9 of 5 requests are in flight; 10 are allowed once the receiver stops pushing back");

  limit.set_max(1);
  EXPECT_EQ(limit.explain(MonoTime()), "9 of 1 request is in flight");
}

struct Request {
  Slot slot;
  int halvings_at_start;
};

RC_GTEST_PROP(InFlightLimitProperty, StaysWithinItsBoundsAndHalvesOncePerRoundTrip, ()) {
  std::int32_t max = *rc::gen::inRange(1, 40);
  InFlightLimit limit = limit_with_max(max);
  std::vector<Request> out;
  int halvings = 0;
  for (int step = 0; step < 300; ++step) {
    const std::int32_t before = limit.limit();
    const int act = *rc::gen::inRange(0, 20);
    if (act == 0) {
      max = *rc::gen::inRange(1, 40);
      limit.set_max(max);
    } else if (act < 11 || out.empty()) {
      const bool has_room = limit.in_flight() < limit.limit();
      const auto slot = limit.try_acquire();
      RC_ASSERT(slot.has_value() == has_room);
      if (slot) out.push_back({*slot, halvings});
    } else {
      const auto index = *rc::gen::inRange<std::size_t>(0, out.size());
      const Request request = out[index];
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
      const auto answer = *rc::gen::element(Answer::Good, Answer::Good, Answer::Good,
                                            Answer::Pushback, Answer::Other);
      limit.release(request.slot, answer);
      const bool halves = answer == Answer::Pushback && request.halvings_at_start == halvings;
      if (halves) ++halvings;
      if (halves) RC_ASSERT(limit.limit() == std::max(before / 2, 1));
      if (!halves) RC_ASSERT(limit.limit() == before || limit.limit() == before + 1);
      if (answer != Answer::Good) RC_ASSERT(limit.limit() <= before);
    }
    RC_ASSERT(limit.limit() >= 1);
    RC_ASSERT(limit.limit() <= max);
    RC_ASSERT(limit.in_flight() == static_cast<std::int32_t>(out.size()));
  }
}

}  // namespace
}  // namespace petrel::lane
