#include "base/rfc3339.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

constexpr WallTime kTime =
    wall_from_unix_seconds(1'773'065'106) + std::chrono::milliseconds(250);  // As in the header.

const std::string kFirst = "0001-01-01T00:00:00.000000Z";
const std::string kLast = "9999-12-31T23:59:59.999999Z";

// The moment as it is written back, or the error's text.
std::string read(std::string_view text) {
  const Result<WallTime> time = parse_rfc3339(text);
  return time.ok() ? to_rfc3339(*time) : time.error().text();
}

std::string not_a_time(std::string_view text) {
  return "\"" + std::string(text) +
         "\" is not a time: write RFC 3339, such as \"2026-03-09T14:05:06Z\"";
}

WallTime any_time() {
  const Duration first = parse_rfc3339(kFirst)->time_since_epoch();
  const Duration last = parse_rfc3339(kLast)->time_since_epoch();
  return WallTime(Duration(*rc::gen::inRange(first.count(), last.count() + 1)));
}

TEST(Rfc3339, WritesUtcWithSixDigitsOfFraction) {
  EXPECT_EQ(to_rfc3339(kTime), "2026-03-09T14:05:06.250000Z");
  EXPECT_EQ(to_rfc3339(WallTime{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_rfc3339(WallTime(Duration(-1))), "1969-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, ReadsAnOffsetAsTheSameMoment) {
  EXPECT_EQ(parse_rfc3339("2026-03-09T15:05:06.25+01:00").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09T09:05:06.25-05:00").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09T19:50:06.25+05:45").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09T14:05:06.25-00:00").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09T15:05:06.25+0100").value(), kTime);
}

TEST(Rfc3339, CarriesAnOffsetOverTheDay) {
  EXPECT_EQ(read("2026-01-01T00:30:00+01:00"), "2025-12-31T23:30:00.000000Z");
  EXPECT_EQ(read("2025-12-31T23:30:00-23:59"), "2026-01-01T23:29:00.000000Z");
}

TEST(Rfc3339, TakesAMissingOffsetAsUtc) {
  EXPECT_EQ(parse_rfc3339("2026-03-09T14:05:06.25").value(), kTime);
}

TEST(Rfc3339, ReadsTheSpellingsThatClientsUse) {
  EXPECT_EQ(parse_rfc3339("2026-03-09t14:05:06.25z").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09 14:05:06.25Z").value(), kTime);
  EXPECT_EQ(parse_rfc3339("2026-03-09 14:05:06.25 UTC").value(), kTime);
}

TEST(Rfc3339, CutsTheFractionAfterMicroseconds) {
  EXPECT_EQ(read("2026-03-09T14:05:06Z"), "2026-03-09T14:05:06.000000Z");
  EXPECT_EQ(read("2026-03-09T14:05:06.1Z"), "2026-03-09T14:05:06.100000Z");
  EXPECT_EQ(read("2026-03-09T14:05:06.000001Z"), "2026-03-09T14:05:06.000001Z");
  EXPECT_EQ(read("2026-03-09T14:05:06.123456789Z"), "2026-03-09T14:05:06.123456Z");
  EXPECT_EQ(read("2026-03-09T14:05:06.9999999Z"), "2026-03-09T14:05:06.999999Z");
}

TEST(Rfc3339, ReadsAMillionDigitsOfFraction) {
  const std::string text = "2026-03-09T14:05:06." + std::string(1'000'000, '9') + "+00:00";

  EXPECT_EQ(read(text), "2026-03-09T14:05:06.999999Z");
}

TEST(Rfc3339, TakesALeapSecondForTheNextMinute) {
  EXPECT_EQ(read("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00.000000Z");
  EXPECT_EQ(read("2017-01-01T00:59:60.5+01:00"), "2017-01-01T00:00:00.500000Z");
}

TEST(Rfc3339, KnowsLeapYears) {
  EXPECT_EQ(read("2024-02-29T00:00:00Z"), "2024-02-29T00:00:00.000000Z");
  EXPECT_EQ(read("2000-02-29T00:00:00Z"), "2000-02-29T00:00:00.000000Z");
  EXPECT_EQ(read("1900-02-29T00:00:00Z"), not_a_time("1900-02-29T00:00:00Z"));
  EXPECT_EQ(read("2026-02-29T00:00:00Z"), not_a_time("2026-02-29T00:00:00Z"));
}

TEST(Rfc3339, RefusesDaysAndTimesThatDoNotExist) {
  for (const std::string_view text :
       {"2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
        "0000-01-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z",
        "2026-01-01T23:59:61Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60"}) {
    EXPECT_EQ(read(text), not_a_time(text));
  }
}

TEST(Rfc3339, RefusesWhatIsNotInTheForm) {
  for (const std::string_view text :
       {"", "now", "2026-03-09", "2026-03-09T14:05Z", "2026-3-9T14:05:06Z", "26-03-09T14:05:06Z",
        "2026-03-09T14:05:06.Z", "2026-03-09T14:05:06,5Z", "2026-03-09T14:05:06+01",
        "2026-03-09T14:05:06 01:00", "2026-03-09T14:05:06Zz", "2026-03-09T14:05:06Z ",
        " 2026-03-09T14:05:06Z", "2026/03/09T14:05:06Z", "+2026-03-09T14:05:06Z",
        "2026-03-09_14:05:06Z", "2026-03-09T14:05:06 CET"}) {
    EXPECT_EQ(read(text), not_a_time(text));
  }
}

TEST(Rfc3339, RefusesWhatFallsOutOfTheYearsOneTo9999) {
  EXPECT_EQ(read("0001-01-01T00:00:00Z"), kFirst);
  EXPECT_EQ(read("9999-12-31T23:59:59.999999Z"), kLast);
  EXPECT_EQ(read("0001-01-01T00:59:59+01:00"), not_a_time("0001-01-01T00:59:59+01:00"));
  EXPECT_EQ(read("9999-12-31T23:00:00-01:00"), not_a_time("9999-12-31T23:00:00-01:00"));
  EXPECT_EQ(read("9999-12-31T23:59:60Z"), not_a_time("9999-12-31T23:59:60Z"));
}

TEST(Rfc3339, LeavesTheFieldForTheCallerToName) {
  const Error error = parse_rfc3339("yesterday").error();

  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_EQ(error.field, "");
}

RC_GTEST_PROP(Rfc3339, GivesEveryTimeBack, ()) {
  const WallTime time = any_time();
  RC_ASSERT(parse_rfc3339(to_rfc3339(time)).value() == time);
}

RC_GTEST_PROP(Rfc3339, SortsTextsAsTimes, ()) {
  const WallTime a = any_time();
  const WallTime b = any_time();
  RC_ASSERT((a < b) == (to_rfc3339(a) < to_rfc3339(b)));
}

}  // namespace
}  // namespace petrel
