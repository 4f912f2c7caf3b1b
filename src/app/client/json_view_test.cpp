#include "app/client/json_view.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

JsonValue parsed(std::string_view text) { return *parse_json(text); }

TEST(JsonView, TakesWhatIsMissingOrOfAnotherKindForEmpty) {
  const JsonValue json = parsed(R"({"a": {"b": "x", "n": 7}, "list": [1, 2], "no": null})");

  EXPECT_EQ(text_at(json, "a.b"), "x");
  EXPECT_EQ(number_at(json, "a.n"), 7);
  EXPECT_EQ(text_at(json, "a.n"), "");
  EXPECT_EQ(text_at(json, "a.b.c"), "");
  EXPECT_EQ(number_at(json, "list.n"), 0);
  EXPECT_EQ(list_at(json, "list").size(), 2U);
  EXPECT_TRUE(list_at(json, "a").empty());
  EXPECT_FALSE(is_there(json, "no"));
  EXPECT_FALSE(flag_at(json, "a.n"));
}

TEST(RawObject, KeepsFieldsToTheByte) {
  const auto object = RawObject::parse(R"( {"schema": {"max" : 1.50e300, "n": 12345678901234567890},
      "name": "a\u0062", "list": [ 1,2 ] , "none": null, "yes": true} )");

  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->raw("schema"), R"({"max" : 1.50e300, "n": 12345678901234567890})");
  EXPECT_EQ(object->raw("name"), R"("a\u0062")");
  EXPECT_EQ(object->text("name"), "ab");
  EXPECT_EQ(object->raw("list"), "[ 1,2 ]");
  EXPECT_EQ(object->raw("none"), "");
  EXPECT_EQ(object->raw("yes"), "true");
  EXPECT_EQ(object->text("yes"), "");
  EXPECT_EQ(object->raw("missing"), "");
}

TEST(RawObject, RefusesWhatIsNoWholeObject) {
  for (const char* text :
       {"", "[]", "7", "{", R"({"a": tru})", R"({"a": 1} {)", R"({"a": "\x"})"}) {
    EXPECT_FALSE(RawObject::parse(text).ok()) << text;
  }
  EXPECT_EQ(RawObject::parse("[]").error().text(), "must be a JSON object");
  EXPECT_EQ(RawObject::parse("{").error().text(), "is not valid JSON");
}

TEST(RawObject, TakesAListOfObjectsApart) {
  const auto items = raw_list(R"({"data": [{"id": "a"}, {"id": "b", "x": {"y": []}}]})", "data");

  ASSERT_TRUE(items.ok());
  ASSERT_EQ(items->size(), 2U);
  EXPECT_EQ(items->at(1).text("id"), "b");
  EXPECT_EQ(items->at(1).raw("x"), R"({"y": []})");
  EXPECT_EQ(items->at(0).json(), R"({"id": "a"})");
  EXPECT_FALSE(raw_list(R"({"data": {}})", "data").ok());
  EXPECT_FALSE(raw_list(R"({"data": [7]})", "data").ok());
  EXPECT_FALSE(raw_list(R"({})", "data").ok());
}

TEST(Printable, LeavesATerminalAlone) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\x7f"), "a [2Jb c ");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31mb"),
            "a 31mb");  // The 8-bit form of ESC [.
}

TEST(Printable, IsCutBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("ab\xc3\xa9z", 3), "ab…");
}

}  // namespace
}  // namespace petrel::app
