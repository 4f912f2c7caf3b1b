#include "base/http_date.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rfc3339.h"

namespace petrel {
namespace {

WallTime moment(std::string_view text) { return parse_rfc3339(text).value(); }

const WallTime kNow = moment("2026-03-09T14:05:06Z");

// The moment that the text means at `now`, as RFC 3339; "none" if it means nothing.
std::string read_at(WallTime now, std::string_view text) {
  const auto time = parse_http_date(text, now);
  return time ? to_rfc3339(*time) : "none";
}

std::string read(std::string_view text) { return read_at(kNow, text); }

TEST(HttpDate, ReadsTheThreeFormsOfTheRfc) {
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37 GMT"), "1994-11-06T08:49:37.000000Z");
  EXPECT_EQ(read("Sunday, 06-Nov-94 08:49:37 GMT"), "1994-11-06T08:49:37.000000Z");
  EXPECT_EQ(read("Sun Nov  6 08:49:37 1994"), "1994-11-06T08:49:37.000000Z");
}

TEST(HttpDate, ReadsADayOfTwoDigitsInAsctime) {
  EXPECT_EQ(read("Wed Nov 16 08:49:37 1994"), "1994-11-16T08:49:37.000000Z");
  EXPECT_EQ(read("Sun Nov 06 08:49:37 1994"), "1994-11-06T08:49:37.000000Z");
}

TEST(HttpDate, ReadsEveryMonthAndWeekday) {
  EXPECT_EQ(read("Thu, 01 Jan 2026 00:00:00 GMT"), "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(read("Mon, 02 Feb 2026 00:00:00 GMT"), "2026-02-02T00:00:00.000000Z");
  EXPECT_EQ(read("Tue, 03 Mar 2026 00:00:00 GMT"), "2026-03-03T00:00:00.000000Z");
  EXPECT_EQ(read("Sat, 04 Apr 2026 00:00:00 GMT"), "2026-04-04T00:00:00.000000Z");
  EXPECT_EQ(read("Tuesday, 05-May-26 00:00:00 GMT"), "2026-05-05T00:00:00.000000Z");
  EXPECT_EQ(read("Saturday, 06-Jun-26 00:00:00 GMT"), "2026-06-06T00:00:00.000000Z");
  EXPECT_EQ(read("Monday, 06-Jul-26 00:00:00 GMT"), "2026-07-06T00:00:00.000000Z");
  EXPECT_EQ(read("Friday, 07-Aug-26 00:00:00 GMT"), "2026-08-07T00:00:00.000000Z");
  EXPECT_EQ(read("Wednesday, 09-Sep-26 00:00:00 GMT"), "2026-09-09T00:00:00.000000Z");
  EXPECT_EQ(read("Thursday, 01-Oct-26 00:00:00 GMT"), "2026-10-01T00:00:00.000000Z");
  EXPECT_EQ(read("Fri, 06 Nov 2026 00:00:00 GMT"), "2026-11-06T00:00:00.000000Z");
  EXPECT_EQ(read("Tue, 01 Dec 2026 00:00:00 GMT"), "2026-12-01T00:00:00.000000Z");
}

TEST(HttpDate, AcceptsAWeekdayThatDoesNotFitTheDate) {
  EXPECT_EQ(read("Mon, 06 Nov 1994 08:49:37 GMT"), "1994-11-06T08:49:37.000000Z");
  EXPECT_EQ(read("Monday, 06-Nov-94 08:49:37 GMT"), "1994-11-06T08:49:37.000000Z");
  EXPECT_EQ(read("Mon Nov  6 08:49:37 1994"), "1994-11-06T08:49:37.000000Z");
}

TEST(HttpDate, RefusesAWeekdayThatIsNone) {
  EXPECT_EQ(read("Son, 06 Nov 1994 08:49:37 GMT"), "none");
  EXPECT_EQ(read("SUN, 06 Nov 1994 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06-Nov-94 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sunday, 06 Nov 1994 08:49:37 GMT"), "none");
}

TEST(HttpDate, PlacesATwoDigitYearUpToFiftyYearsAhead) {
  EXPECT_EQ(read("Monday, 09-Mar-26 14:05:06 GMT"), "2026-03-09T14:05:06.000000Z");
  EXPECT_EQ(read("Monday, 09-Mar-76 14:05:06 GMT"), "2076-03-09T14:05:06.000000Z");
  EXPECT_EQ(read("Monday, 31-Dec-75 23:59:59 GMT"), "2075-12-31T23:59:59.000000Z");
}

TEST(HttpDate, TakesATwoDigitYearMoreThanFiftyYearsAheadForThePast) {
  EXPECT_EQ(read("Monday, 09-Mar-76 14:05:07 GMT"), "1976-03-09T14:05:07.000000Z");
  EXPECT_EQ(read("Monday, 10-Mar-76 00:00:00 GMT"), "1976-03-10T00:00:00.000000Z");
  EXPECT_EQ(read("Monday, 01-Jan-77 00:00:00 GMT"), "1977-01-01T00:00:00.000000Z");
  EXPECT_EQ(read("Monday, 01-Jan-99 00:00:00 GMT"), "1999-01-01T00:00:00.000000Z");
}

TEST(HttpDate, PlacesATwoDigitYearAcrossTheTurnOfTheCentury) {
  const WallTime eve = moment("2099-12-31T23:59:59Z");
  const WallTime late = moment("2051-06-01T00:00:00Z");

  EXPECT_EQ(read_at(eve, "Friday, 01-Jan-00 00:00:00 GMT"), "2100-01-01T00:00:00.000000Z");
  EXPECT_EQ(read_at(eve, "Friday, 31-Dec-49 00:00:00 GMT"), "2149-12-31T00:00:00.000000Z");
  EXPECT_EQ(read_at(eve, "Friday, 01-Jan-50 00:00:00 GMT"), "2050-01-01T00:00:00.000000Z");
  EXPECT_EQ(read_at(late, "Friday, 01-Jan-01 00:00:00 GMT"), "2101-01-01T00:00:00.000000Z");
  EXPECT_EQ(read_at(late, "Friday, 01-Jan-02 00:00:00 GMT"), "2002-01-01T00:00:00.000000Z");
}

TEST(HttpDate, TakesALeapSecondForTheNextMinute) {
  EXPECT_EQ(read("Sat, 31 Dec 2016 23:59:60 GMT"), "2017-01-01T00:00:00.000000Z");
}

TEST(HttpDate, RefusesDaysAndTimesThatDoNotExist) {
  EXPECT_EQ(read("Sun, 30 Feb 2026 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 29 Feb 2026 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 00 Nov 1994 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 0000 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sunday, 31-Nov-94 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun Nov 31 08:49:37 1994"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 24:00:00 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:60:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:61 GMT"), "none");
}

TEST(HttpDate, RefusesWhatIsNoneOfTheThreeForms) {
  EXPECT_EQ(read(""), "none");
  EXPECT_EQ(read("120"), "none");
  EXPECT_EQ(read("1994-11-06T08:49:37Z"), "none");
  EXPECT_EQ(read("Sun, 6 Nov 1994 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 94 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nob 1994 08:49:37 GMT"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37 UTC"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37 +0000"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37"), "none");
  EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37 GMT "), "none");
  EXPECT_EQ(read("Sun Nov  6 08:49:37 1994 GMT"), "none");
  EXPECT_EQ(read("Sun Nov 6 08:49:37 1994"), "none");
}

TEST(HttpDate, WritesTheFixedForm) {
  EXPECT_EQ(to_http_date(moment("1994-11-06T08:49:37Z")), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(to_http_date(moment("0001-01-01T00:00:00Z")), "Mon, 01 Jan 0001 00:00:00 GMT");
  EXPECT_EQ(to_http_date(moment("1970-01-01T00:00:00Z")), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpDate, CutsTheFractionTowardsThePast) {
  EXPECT_EQ(to_http_date(moment("1994-11-06T08:49:37.999999Z")), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(to_http_date(moment("1969-12-31T23:59:59.5Z")), "Wed, 31 Dec 1969 23:59:59 GMT");
}

RC_GTEST_PROP(HttpDate, GivesEveryWholeSecondBack, ()) {
  const auto seconds = *rc::gen::inRange(unix_seconds(moment("0001-01-01T00:00:00Z")),
                                         unix_seconds(moment("9999-12-31T23:59:59Z")));
  const WallTime time = wall_from_unix_seconds(seconds);
  RC_ASSERT(parse_http_date(to_http_date(time), kNow) == time);
}

}  // namespace
}  // namespace petrel
