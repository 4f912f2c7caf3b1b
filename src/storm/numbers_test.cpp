#include "storm/numbers.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::storm {
namespace {

using std::chrono::seconds;

TEST(Numbers, HaveACommaAtEveryThousand) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1'000), "1,000");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(with_commas(-1'234), "-1,234");
}

TEST(Numbers, AreCountedInTheSingularAndThePlural) {
  EXPECT_EQ(counted(0, "crash", "crashes"), "0 crashes");
  EXPECT_EQ(counted(1, "crash", "crashes"), "1 crash");
  EXPECT_EQ(counted(1'200, "crash", "crashes"), "1,200 crashes");
}

TEST(Percentile, IsTheSmallestThatSoManyDoNotExceed) {
  std::vector<Duration> times;
  for (int i = 200; i >= 1; --i) times.push_back(seconds(i));

  EXPECT_EQ(percentile(times, 1), seconds(2));
  EXPECT_EQ(percentile(times, 50), seconds(100));
  EXPECT_EQ(percentile(times, 99), seconds(198));
  EXPECT_EQ(percentile(times, 100), seconds(200));
  EXPECT_EQ(percentile({seconds(7)}, 1), seconds(7));
  EXPECT_EQ(percentile({}, 50), std::nullopt);
}

}  // namespace
}  // namespace petrel::storm
