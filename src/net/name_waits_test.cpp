#include "net/name_waits.h"

#include <vector>

#include <gtest/gtest.h>

namespace petrel::net {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart{std::chrono::hours(1)};

TEST(NameWaits, DoubleFromOneSecondToAMinute) {
  NameWaits waits(10);
  MonoTime now = kStart;
  std::vector<Duration> seen;
  for (int i = 0; i < 8; ++i) {
    seen.push_back(waits.failed("a.example", now));
    EXPECT_EQ(waits.left("a.example", now), seen.back());
    EXPECT_EQ(waits.left("a.example", now + seen.back() - Duration(1)), Duration(1));
    now += seen.back();
    EXPECT_EQ(waits.left("a.example", now), std::nullopt);
  }
  EXPECT_EQ(seen, (std::vector<Duration>{seconds(1), seconds(2), seconds(4), seconds(8),
                                         seconds(16), seconds(32), seconds(60), seconds(60)}));
}

TEST(NameWaits, AreEachNamesOwnAndStartOverWithAnAnswer) {
  NameWaits waits(10);
  waits.failed("a.example", kStart);
  EXPECT_EQ(waits.left("b.example", kStart), std::nullopt);
  EXPECT_EQ(waits.failed("b.example", kStart), seconds(1));
  EXPECT_EQ(waits.failed("a.example", kStart), seconds(2));

  waits.answered("a.example");

  EXPECT_EQ(waits.left("a.example", kStart), std::nullopt);
  EXPECT_EQ(waits.failed("a.example", kStart), seconds(1));
}

TEST(NameWaits, StartOverForANameThatWasLongNotAskedFor) {
  NameWaits waits(10);
  waits.failed("a.example", kStart);
  EXPECT_EQ(waits.failed("a.example", kStart + seconds(1) + minutes(10)), seconds(1));
}

TEST(NameWaits, ForgetTheOldestOfTooManyNames) {
  NameWaits waits(2);
  waits.failed("a.example", kStart);
  waits.failed("b.example", kStart);
  waits.failed("a.example", kStart);
  waits.failed("c.example", kStart);

  EXPECT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits.left("a.example", kStart), seconds(2));
  EXPECT_EQ(waits.left("b.example", kStart), std::nullopt);
}

}  // namespace
}  // namespace petrel::net
