#include "policy/retry_after.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"

namespace petrel::policy {
namespace {

using std::chrono::seconds;

const WallTime kNow = *parse_rfc3339("2026-10-21T07:28:00Z");

std::optional<Duration> read(std::string_view text, std::string_view date = "") {
  return parse_retry_after({text, date}, kNow);
}

TEST(RetryAfter, A6_ReadsSeconds) {
  EXPECT_EQ(read("0"), seconds(0));
  EXPECT_EQ(read("120"), seconds(120));
  EXPECT_EQ(read("  7\t"), seconds(7));
  EXPECT_EQ(read("007"), seconds(7));
}

TEST(RetryAfter, C5_ReadsAllThreeFormsOfADate) {
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:29:00 GMT"), seconds(60));
  EXPECT_EQ(read("Wednesday, 21-Oct-26 07:29:00 GMT"), seconds(60));
  EXPECT_EQ(read("Wed Oct 21 07:29:00 2026"), seconds(60));
  EXPECT_EQ(read("Sun Nov  1 07:28:00 2026"), std::chrono::days(11));
}

TEST(RetryAfter, ADateInThePastCountsAsAbsent) {
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:28:00 GMT"), std::nullopt);
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:27:59 GMT"), std::nullopt);
  EXPECT_EQ(read("Wednesday, 21-Oct-77 07:29:00 GMT"), std::nullopt);  // 1977.
}

TEST(RetryAfter, ANegativeNumberOrRubbishCountsAsAbsent) {
  for (const std::string_view text :
       {"", " ", "-1", "+5", "1.5", "5s", "soon", "1 2", "0x10", "1e3", "Wed, 21 Oct 2026",
        "Wed, 32 Oct 2026 07:29:00 GMT", "Wed, 21 Oct 2026 07:29:00 CET", "2026-10-21T07:29:00Z",
        "Wed, 21 Oct 2026 07:29:00 GMT, 5"}) {
    EXPECT_EQ(read(text), std::nullopt) << text;
  }
}

TEST(RetryAfter, AnEnormousNumberIsTheLongestWait) {
  const auto longest = read("99999999999999999999999999");
  ASSERT_TRUE(longest.has_value());
  EXPECT_GT(*longest, std::chrono::years(100));
  EXPECT_EQ(read("1000000000000000"), longest);
}

TEST(RetryAfter, ADateIsMeasuredByTheReceiversOwnClock) {
  // Its clock is an hour slow, and it wants a minute.
  EXPECT_EQ(read("Wed, 21 Oct 2026 06:29:00 GMT", "Wed, 21 Oct 2026 06:28:00 GMT"), seconds(60));
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:29:00 GMT", "rubbish"), seconds(60));
}

}  // namespace
}  // namespace petrel::policy
