#include "base/duration_text.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kMillisecondsMax = std::numeric_limits<Duration::rep>::max() / 1000;

std::string not_a_duration(std::string_view text) {
  return "\"" + std::string(text) +
         "\" is not a duration: write a whole number and a unit (ms, s, m, h or d), such as "
         "\"30s\"";
}

Duration parsed(std::string_view text) { return parse_duration(text).value(); }

std::string refusal(std::string_view text) { return parse_duration(text).error().text(); }

TEST(DurationText, ReadsEveryUnit) {
  EXPECT_EQ(parsed("250ms"), milliseconds(250));
  EXPECT_EQ(parsed("90s"), seconds(90));
  EXPECT_EQ(parsed("5m"), minutes(5));
  EXPECT_EQ(parsed("12h"), hours(12));
  EXPECT_EQ(parsed("7d"), days(7));
}

TEST(DurationText, ReadsAPlainZeroWithoutUnit) {
  EXPECT_EQ(parsed("0"), Duration::zero());
  EXPECT_EQ(parsed("0s"), Duration::zero());
  EXPECT_EQ(parsed("0d"), Duration::zero());
}

TEST(DurationText, ReadsLeadingZeros) { EXPECT_EQ(parsed("007s"), seconds(7)); }

TEST(DurationText, RefusesAMissingUnit) {
  EXPECT_EQ(refusal("30"), not_a_duration("30"));
  EXPECT_EQ(refusal("00"), not_a_duration("00"));
}

TEST(DurationText, RefusesAMissingNumber) {
  EXPECT_EQ(refusal("s"), not_a_duration("s"));
  EXPECT_EQ(refusal("ms"), not_a_duration("ms"));
  EXPECT_EQ(refusal(""), not_a_duration(""));
}

TEST(DurationText, RefusesFractionsAndSigns) {
  EXPECT_EQ(refusal("1.5h"), not_a_duration("1.5h"));
  EXPECT_EQ(refusal("1,5h"), not_a_duration("1,5h"));
  EXPECT_EQ(refusal("-1s"), not_a_duration("-1s"));
  EXPECT_EQ(refusal("+1s"), not_a_duration("+1s"));
}

TEST(DurationText, RefusesUnitsThatItDoesNotKnow) {
  EXPECT_EQ(refusal("1w"), not_a_duration("1w"));
  EXPECT_EQ(refusal("1us"), not_a_duration("1us"));
  EXPECT_EQ(refusal("1S"), not_a_duration("1S"));
  EXPECT_EQ(refusal("1 s"), not_a_duration("1 s"));
  EXPECT_EQ(refusal("1h30m"), not_a_duration("1h30m"));
  EXPECT_EQ(refusal("1s "), not_a_duration("1s "));
}

TEST(DurationText, LeavesTheFieldForTheCallerToName) {
  const Error error = parse_duration("soon").error();

  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_EQ(error.field, "");
}

TEST(DurationText, ReadsTheLongestOfEveryUnit) {
  EXPECT_EQ(parsed("9223372036854775ms"), milliseconds(9223372036854775));
  EXPECT_EQ(parsed("9223372036854s"), seconds(9223372036854));
  EXPECT_EQ(parsed("153722867280m"), microseconds(9223372036800000000));
  EXPECT_EQ(parsed("2562047788h"), microseconds(9223372036800000000));
  EXPECT_EQ(parsed("106751991d"), microseconds(9223372022400000000));
}

TEST(DurationText, RefusesWhatIsTooLongToHold) {
  EXPECT_EQ(refusal("9223372036854776ms"), "\"9223372036854776ms\" is too long a duration");
  EXPECT_EQ(refusal("9223372036855s"), "\"9223372036855s\" is too long a duration");
  EXPECT_EQ(refusal("153722867281m"), "\"153722867281m\" is too long a duration");
  EXPECT_EQ(refusal("2562047789h"), "\"2562047789h\" is too long a duration");
  EXPECT_EQ(refusal("106751992d"), "\"106751992d\" is too long a duration");
  EXPECT_EQ(refusal("9223372036854775808s"), "\"9223372036854775808s\" is too long a duration");
}

TEST(DurationText, WritesTheLargestUnitThatLeavesNoRest) {
  EXPECT_EQ(to_text(milliseconds(1)), "1ms");
  EXPECT_EQ(to_text(milliseconds(1500)), "1500ms");
  EXPECT_EQ(to_text(seconds(90)), "90s");
  EXPECT_EQ(to_text(seconds(7200)), "2h");
  EXPECT_EQ(to_text(minutes(61)), "61m");
  EXPECT_EQ(to_text(hours(25)), "25h");
  EXPECT_EQ(to_text(hours(48)), "2d");
  EXPECT_EQ(to_text(Duration::zero()), "0s");
}

// What a damaged record holds must not end the server when it is shown.
TEST(DurationText, WritesWhatNoRuleAllowsAsWellAsItCan) {
  EXPECT_EQ(to_text(milliseconds(-1)), "-1ms");
  EXPECT_EQ(to_text(microseconds(1)), "0s");
  EXPECT_EQ(to_text(microseconds(1'001)), "1ms");
  EXPECT_EQ(to_text(Duration::min()).substr(0, 2), "-9");
}

RC_GTEST_PROP(DurationText, GivesEveryDurationBack, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(0, kMillisecondsMax);
  const Duration duration = milliseconds(count);
  RC_ASSERT(parse_duration(to_text(duration)).value() == duration);
}

RC_GTEST_PROP(DurationText, GivesEveryTextBackUpToItsUnit, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto unit = *rc::gen::element<std::string>("ms", "s", "m", "h", "d");
  const Duration duration = parsed(std::to_string(count) + unit);
  RC_ASSERT(parsed(to_text(duration)) == duration);
  RC_ASSERT(to_text(duration).size() <= std::to_string(count).size() + unit.size());
}

TEST(DurationWords, ShowMillisecondsUnderASecond) {
  EXPECT_EQ(to_words(Duration::zero()), "0ms");
  EXPECT_EQ(to_words(microseconds(499)), "0ms");
  EXPECT_EQ(to_words(microseconds(501)), "1ms");
  EXPECT_EQ(to_words(milliseconds(999)), "999ms");
}

TEST(DurationWords, ShowTenthsUnderTenSeconds) {
  EXPECT_EQ(to_words(seconds(1)), "1s");
  EXPECT_EQ(to_words(milliseconds(4299)), "4.2s");
  EXPECT_EQ(to_words(milliseconds(9999)), "9.9s");
}

TEST(DurationWords, NeverShowAThousandMillisecondsOrTenAndATenthOfSeconds) {
  EXPECT_EQ(to_words(microseconds(999'600)), "1s");
  EXPECT_EQ(to_words(microseconds(9'999'600)), "10s");
}

TEST(DurationWords, ShowAtMostTwoUnits) {
  EXPECT_EQ(to_words(seconds(10)), "10s");
  EXPECT_EQ(to_words(milliseconds(59'999)), "59s");
  EXPECT_EQ(to_words(minutes(5)), "5m");
  EXPECT_EQ(to_words(minutes(5) + seconds(3)), "5m 3s");
  EXPECT_EQ(to_words(hours(2) + minutes(5) + seconds(9)), "2h 5m");
  EXPECT_EQ(to_words(hours(2) + seconds(9)), "2h");
  EXPECT_EQ(to_words(days(3) + hours(4) + minutes(59)), "3d 4h");
}

TEST(DurationWords, ShowTheLongestDuration) {
  EXPECT_EQ(to_words(Duration::max()), "106751991d 4h");
}

TEST(DurationWords, ShowWhatIsNegativeWithASign) {
  EXPECT_EQ(to_words(seconds(-90)), "-1m 30s");
  EXPECT_EQ(to_words(milliseconds(-250)), "-250ms");
}

}  // namespace
}  // namespace petrel
