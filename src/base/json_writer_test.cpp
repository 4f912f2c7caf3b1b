#include "base/json_writer.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json.h"

namespace petrel {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::string written(std::string_view text) { return JsonWriter().value(text).text(); }

std::string written(double number) { return JsonWriter().value(number).text(); }

// What a reader gets from the bytes of `text` once they went through a writer.
std::string read_back(std::string_view text) {
  return *parse_json(written(text)).value().as_string();
}

TEST(JsonWriter, WritesTheExampleOfItsHeader) {
  JsonWriter json;
  json.begin_object();
  json.field("id", "msg_1").field("attempt", 3);
  json.end_object();

  EXPECT_EQ(json.text(), R"({"id":"msg_1","attempt":3})");
}

TEST(JsonWriter, PutsCommasBetweenValuesAndNowhereElse) {
  JsonWriter json;
  json.begin_array();
  json.begin_object().end_object();
  json.begin_object().field("a", 1).key("b").begin_array().value(1).value(2).end_array();
  json.field("c", 3).end_object();
  json.begin_array().end_array().null().value(true).raw("[ 1 ]").value("x");
  json.end_array();

  EXPECT_EQ(json.text(), R"([{},{"a":1,"b":[1,2],"c":3},[],null,true,[ 1 ],"x"])");
}

TEST(JsonWriter, WritesEveryKindOfValue) {
  JsonWriter json;
  json.begin_object();
  json.field("text", std::string("a")).field("view", std::string_view("b")).field("literal", "c");
  json.field("yes", true).field("no", false);
  json.field("least", std::numeric_limits<std::int64_t>::min());
  json.field("half", 0.5).key("none").null();
  json.end_object();

  EXPECT_EQ(json.text(), R"({"text":"a","view":"b","literal":"c","yes":true,"no":false,)"
                         R"("least":-9223372036854775808,"half":0.5,"none":null})");
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBack) {
  EXPECT_EQ(written(0.0), "0");
  EXPECT_EQ(written(5.0), "5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(-1.5), "-1.5");
  EXPECT_EQ(written(1e16), "1e+16");
  EXPECT_EQ(written(5e-324), "5e-324");
}

TEST(JsonWriter, WritesWhatIsNotFiniteAsNull) {
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, EscapesWhatJsonForbids) {
  EXPECT_EQ(written("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(written("\n\r\t"), R"("\n\r\t")");
  EXPECT_EQ(written(std::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001f\u007f")");
}

TEST(JsonWriter, EscapesNamesAsItDoesValues) {
  JsonWriter json;
  json.begin_object().field("a\"\xff", 1).end_object();

  EXPECT_EQ(json.text(), "{\"a\\\"\xef\xbf\xbd\":1}");
}

TEST(JsonWriter, LeavesUtf8AsItIs) {
  for (const std::string_view text :
       {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "ä€😀"}) {
    EXPECT_EQ(written(text), "\"" + std::string(text) + "\"");
  }
}

TEST(JsonWriter, ReplacesEachByteThatIsNotUtf8) {
  for (const std::string_view text : {"\x80",                  // A continuation of nothing.
                                      "\xc0\x80", "\xc1\xbf",  // Longer than need be.
                                      "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",      //
                                      "\xed\xa0\x80", "\xed\xbf\xbf",          // Surrogates.
                                      "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",  // Beyond U+10FFFF.
                                      "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xff",  // Cut off.
                                      "\xe2\xff", "\xf0\x9f\xff"}) {
    std::string expected;
    for (std::size_t i = 0; i < text.size(); ++i) expected += kReplacement;
    EXPECT_EQ(written(text), "\"" + expected + "\"");
  }
}

TEST(JsonWriter, GoesOnBehindABadByte) {
  EXPECT_EQ(written("a\xff\x62"), "\"a" + std::string(kReplacement) + "b\"");
  EXPECT_EQ(written("\xc3\xc3\xa4"), "\"" + std::string(kReplacement) + "ä\"");
}

TEST(JsonWriter, GivesItsTextAway) {
  JsonWriter json;
  json.begin_array().end_array();

  EXPECT_EQ(json.take(), "[]");
}

RC_GTEST_PROP(JsonWriter, IsReadableWhateverTheBytes, (const std::vector<std::uint8_t>& bytes)) {
  const std::string text(bytes.begin(), bytes.end());
  JsonWriter json;
  json.begin_object().field(text, text).key("list").begin_array().value(text).end_array();
  json.end_object();
  if (text == "list") return;
  RC_ASSERT(parse_json(json.text()).ok());
  RC_ASSERT(read_back(read_back(text)) == read_back(text));
}

RC_GTEST_PROP(JsonWriter, IsReadableWhateverTheBytesOfAMultibyteCharacter, ()) {
  const auto byte = rc::gen::element<char>('a', '"', '\x80', '\x8f', '\x90', '\x9f', '\xa0', '\xbf',
                                           '\xc2', '\xe0', '\xed', '\xef', '\xf0', '\xf4', '\xff');
  const auto text = *rc::gen::container<std::string>(byte);
  RC_ASSERT(parse_json(written(text)).ok());
}

RC_GTEST_PROP(JsonWriter, GivesAsciiTextBack, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  RC_ASSERT(read_back(text) == text);
}

RC_GTEST_PROP(JsonWriter, GivesEveryFiniteNumberBack, (double number)) {
  RC_PRE(std::isfinite(number));
  RC_ASSERT(parse_json(written(number)).value().as_number() == number);
}

RC_GTEST_PROP(JsonWriter, GivesEveryWholeNumberBack, (std::int64_t number)) {
  JsonWriter json;
  json.value(number);
  RC_ASSERT(*parse_json(json.text()).value().as_integer() == number);
}

}  // namespace
}  // namespace petrel
