#include "base/json.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel {
namespace {

JsonValue parsed(std::string_view text) { return parse_json(text).value(); }

std::string refusal(std::string_view text) { return parse_json(text).error().text(); }

bool is_refused(std::string_view text) { return !parse_json(text).ok(); }

std::string lists(std::size_t depth, std::string_view inside) {
  return std::string(depth, '[') + std::string(inside) + std::string(depth, ']');
}

std::string objects(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "{\"a\":";
  return text + "1" + std::string(depth, '}');
}

// An object of `count` fields, all of them named differently.
std::string wide_object(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  }
  return text + "}";
}

TEST(Json, ReadsEveryKindOfValue) {
  EXPECT_TRUE(parsed("null").is_null());
  EXPECT_EQ(*parsed("true").as_bool(), true);
  EXPECT_EQ(*parsed("false").as_bool(), false);
  EXPECT_EQ(*parsed("-5").as_integer(), -5);
  EXPECT_EQ(parsed("0.5").as_number(), 0.5);
  EXPECT_EQ(*parsed("\"text\"").as_string(), "text");
  EXPECT_EQ(parsed("[1, 2]").as_array()->size(), 2U);
  EXPECT_EQ(parsed("{\"a\": 1}").as_object()->size(), 1U);
}

TEST(Json, IsNullUntilItIsSet) { EXPECT_TRUE(JsonValue().is_null()); }

TEST(Json, IsOnlyOfItsOwnKind) {
  const JsonValue text = parsed("\"1\"");

  EXPECT_FALSE(text.is_null());
  EXPECT_EQ(text.as_bool(), nullptr);
  EXPECT_EQ(text.as_integer(), nullptr);
  EXPECT_EQ(text.as_number(), std::nullopt);
  EXPECT_EQ(text.as_array(), nullptr);
  EXPECT_EQ(text.as_object(), nullptr);
  EXPECT_EQ(parsed("1").as_string(), nullptr);
}

TEST(Json, NamesItsKindForPeople) {
  EXPECT_EQ(parsed("null").kind_name(), "null");
  EXPECT_EQ(parsed("true").kind_name(), "a boolean");
  EXPECT_EQ(parsed("1").kind_name(), "a number");
  EXPECT_EQ(parsed("1.5").kind_name(), "a number");
  EXPECT_EQ(parsed("\"\"").kind_name(), "a string");
  EXPECT_EQ(parsed("[]").kind_name(), "a list");
  EXPECT_EQ(parsed("{}").kind_name(), "an object");
}

TEST(Json, TellsWholeNumbersFromOthers) {
  EXPECT_EQ(*parsed("5").as_integer(), 5);
  EXPECT_EQ(parsed("5").as_number(), 5.0);
  EXPECT_EQ(parsed("5.0").as_integer(), nullptr);
  EXPECT_EQ(parsed("5.0").as_number(), 5.0);
  EXPECT_EQ(parsed("1e2").as_integer(), nullptr);
  EXPECT_EQ(parsed("1e2").as_number(), 100.0);
}

TEST(Json, ReadsWholeNumbersToTheEndsOfTheirRange) {
  EXPECT_EQ(*parsed("9223372036854775807").as_integer(), INT64_MAX);
  EXPECT_EQ(*parsed("-9223372036854775808").as_integer(), INT64_MIN);
}

TEST(Json, TakesALargerWholeNumberForAnInexactOne) {
  EXPECT_EQ(parsed("9223372036854775808").as_integer(), nullptr);
  EXPECT_EQ(parsed("9223372036854775808").as_number(), 9223372036854775808.0);
  EXPECT_EQ(parsed("18446744073709551615").as_number(), 18446744073709551616.0);
}

TEST(Json, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(refusal("18446744073709551616"), "is not valid JSON: Problem while parsing a number");
  EXPECT_EQ(refusal("-9223372036854775809"), "is not valid JSON: Problem while parsing a number");
  EXPECT_EQ(refusal("1e400"), "is not valid JSON: Problem while parsing a number");
}

TEST(Json, ReadsEscapesAndUnicode) {
  EXPECT_EQ(*parsed(R"("\"\\\/\b\f\n\r\t")").as_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(*parsed(R"("\u00e4\ud83d\ude00")").as_string(), "ä😀");
  EXPECT_EQ(*parsed("\"ä😀\"").as_string(), "ä😀");
  EXPECT_EQ(*parsed(R"("a\u0000b")").as_string(), std::string("a\0b", 3));
}

TEST(Json, KeepsTheOrderOfFields) {
  const JsonValue value = parsed(R"({"b": 1, "a": 2, "c": 3})");
  const JsonValue::Object& object = *value.as_object();

  EXPECT_EQ(object[0].first, "b");
  EXPECT_EQ(object[1].first, "a");
  EXPECT_EQ(object[2].first, "c");
}

TEST(Json, RefusesAFieldThatStandsTwiceAndNamesItsPath) {
  EXPECT_EQ(refusal(R"({"a": 1, "a": 2})"), "a: appears twice");
  EXPECT_EQ(refusal(R"({"a": 1, "b": 2, "\u0061": 1})"), "a: appears twice");
  EXPECT_EQ(refusal(R"({"rules": [{}, {"on": 1, "x": 0, "on": 2}]})"),
            "rules[1].on: appears twice");
  EXPECT_EQ(refusal(R"([[{"a": {"b": 1, "b": 1}}]])"), "[0][0].a.b: appears twice");
  EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})").error().kind, ErrorKind::Invalid);
}

TEST(Json, LetsTheSameNameStandInDifferentObjects) {
  EXPECT_FALSE(is_refused(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "A": 1})"));
}

TEST(Json, ReadsSixtyFourLevelsAndNoMore) {
  const std::string too_deep = "is nested more than 64 levels deep";

  EXPECT_FALSE(is_refused(lists(64, "1")));
  EXPECT_FALSE(is_refused(objects(64)));
  EXPECT_EQ(refusal(lists(65, "1")), too_deep);
  EXPECT_EQ(refusal(objects(65)), too_deep);
  EXPECT_EQ(refusal(lists(1'000'000, "")), too_deep);
}

TEST(Json, ReadsAQuarterOfAMillionListsAndNoMore) {
  const auto many_lists = [](std::size_t count) {  // The outer one counts too.
    std::string text = "[[]";
    for (std::size_t i = 2; i < count; ++i) text += ",[]";
    return text + "]";
  };
  EXPECT_FALSE(is_refused(many_lists(250'000)));
  EXPECT_EQ(refusal(many_lists(250'001)), "holds more than 250000 lists and objects");
}

TEST(Json, RefusesAnEmptyText) {
  EXPECT_EQ(refusal(""), "is empty where JSON was expected");
  EXPECT_EQ(refusal(std::string_view()), "is empty where JSON was expected");
  EXPECT_EQ(refusal(" \n"), "is empty where JSON was expected");
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const std::string_view text :
       {"{",    "}",   "[1,]",     "{\"a\"}", "{\"a\":}",  "{a:1}",       "{,}",     "nul",
        "True", "NaN", "Infinity", "'a'",     "\"a",       "01",          "+1",      ".5",
        "1.",   "1 2", "[1] x",    "// a\n1", "\"\\x41\"", "\"\\ud800\"", "\"a\nb\""}) {
    EXPECT_EQ(refusal(text).substr(0, 17), "is not valid JSON") << text;
  }
}

TEST(Json, RefusesWhatIsNotUtf8) {
  const std::string not_utf8 = "is not valid JSON: The input is not valid UTF-8";

  EXPECT_EQ(refusal("\"\xff\""), not_utf8);
  EXPECT_EQ(refusal("\"\xc0\xaf\""), not_utf8);
  EXPECT_EQ(refusal("\"\xed\xa0\x80\""), not_utf8);
  EXPECT_EQ(refusal("\"\xf4\x90\x80\x80\""), not_utf8);
  EXPECT_EQ(refusal("\"\xc3\""), not_utf8);
}

TEST(Json, RefusesWithoutNamingAField) {
  EXPECT_EQ(parse_json("{").error().kind, ErrorKind::Invalid);
  EXPECT_EQ(parse_json("{").error().field, "");
}

TEST(Json, ReadsAnObjectOfManyFields) {
  const Result<JsonValue> value = parse_json(wide_object(100'000));

  EXPECT_EQ(value->as_object()->size(), 100'000U);
}

TEST(Json, FindsTheTwinAmongManyFields) {
  std::string text = wide_object(100'000);
  text.pop_back();
  text += ",\"77777\":1}";

  EXPECT_EQ(refusal(text), "77777: appears twice");
}

}  // namespace
}  // namespace petrel
