#include "schema/schema.h"

#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace petrel::schema {
namespace {

JsonValue json(std::string_view text) {
  Result<JsonValue> value = parse_json(text);
  EXPECT_TRUE(value.ok()) << text;
  return *value;
}

// "" if the value fits, else what is wrong with it.
std::string problem(std::string_view schema, std::string_view value) {
  const Result<Schema> compiled = Schema::compile(json(schema));
  if (!compiled.ok()) return "schema: " + compiled.error().text();
  const Status status = compiled->check(json(value));
  return status.ok() ? "" : status.error().text();
}

struct Case {
  const char* schema;
  const char* value;
  const char* problem;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(problem(each.schema, each.value), each.problem) << each.schema << " " << each.value;
  }
}

TEST(SchemaTest, KeywordsAboutPlainValues) {
  expect({
      {"true", "7", ""},
      {"false", "7", "is not allowed"},
      {"{}", "7", ""},
      {R"({"type":"string"})", R"("a")", ""},
      {R"({"type":"string"})", "7", "must be of type string, not a number"},
      {R"({"type":["string","null"]})", "null", ""},
      {R"({"type":["string","null"]})", "[]", "must be of type string or null, not a list"},
      {R"({"type":"integer"})", "1.0", ""},
      {R"({"type":"integer"})", "1.5", "must be of type integer, not a number"},
      {R"({"type":"boolean"})", "false", ""},
      {R"({"const":{"a":[1,2.0]}})", R"({"a":[1.0,2]})", ""},
      {R"({"const":{"a":1}})", R"({"a":2})", "is not the value that the schema wants"},
      {R"({"enum":["a",null]})", "null", ""},
      {R"({"enum":["a",null]})", R"("b")", "is none of the values that the schema allows"},
      {R"({"maximum":3})", "3", ""},
      {R"({"maximum":3})", "4", "must not be more than 3"},
      {R"({"exclusiveMaximum":3})", "3", "must be less than 3"},
      {R"({"minimum":3})", "2", "must not be less than 3"},
      {R"({"exclusiveMinimum":3})", "3", "must be more than 3"},
      {R"({"multipleOf":0.01})", "19.99", ""},
      {R"({"multipleOf":2})", "3", "must be a multiple of 2"},
      {R"({"maxLength":2})", R"("äö")", ""},
      {R"({"maxLength":2})", R"("abc")", "must not have more than 2 characters"},
      {R"({"minLength":2})", R"("a")", "must have at least 2 characters"},
      {R"({"pattern":"^a+$"})", R"("aaa")", ""},
      {R"({"pattern":"^a+$"})", R"("baa")", R"(does not match "^a+$")"},
      {R"({"pattern":"b"})", R"("abc")", ""},
  });
}

TEST(SchemaTest, KeywordsAboutListsObjectsAndOtherSchemas) {
  expect({
      {R"({"items":{"type":"number"}})", R"([1,"a"])", "[1]: must be of type number, not a string"},
      {R"({"items":[true,false]})", "[1]", ""},
      {R"({"items":[true],"additionalItems":false})", "[1,2]", "[1]: is not allowed"},
      {R"({"maxItems":1})", "[1,2]", "must not have more than 1 items"},
      {R"({"minItems":1})", "[]", "must have at least 1 items"},
      {R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2,"a":1}])", "[1]: is the same as [0]"},
      {R"({"uniqueItems":true})", "[1,2,true,\"1\"]", ""},
      {R"({"contains":{"const":3}})", "[1,3]", ""},
      {R"({"contains":{"const":3}})", "[1,2]", "has no item that fits the schema of contains"},
      {R"({"maxProperties":1})", R"({"a":1,"b":2})", "must not have more than 1 fields"},
      {R"({"minProperties":1})", "{}", "must have at least 1 fields"},
      {R"({"required":["a"]})", R"({"b":1})", "a: is missing"},
      {R"({"properties":{"a":{"properties":{"b":{"type":"string"}}}}})", R"({"a":{"b":1}})",
       "a.b: must be of type string, not a number"},
      {R"({"properties":{"a":true},"additionalProperties":false})", R"({"a":1,"b":2})",
       "b: is not allowed"},
      {R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})",
       R"({"x-a":"1"})", ""},
      {R"({"patternProperties":{"^x-":{"type":"string"}}})", R"({"x-a":1,"b":1})",
       "x-a: must be of type string, not a number"},
      {R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})",
       "abc: is not a name that the schema allows"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1})", "b: is missing"},
      {R"({"dependencies":{"a":{"required":["c"]}}})", R"({"a":1})", "c: is missing"},
      {R"({"dependencies":{"a":["b"]}})", "{}", ""},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "3", "must not be more than 2"},
      {R"({"anyOf":[{"minimum":5},{"maximum":2}]})", "3", "fits none of the schemas of anyOf"},
      {R"({"oneOf":[{"minimum":1},{"maximum":5}]})", "3",
       "fits 2 of the schemas of oneOf, not one"},
      {R"({"oneOf":[{"minimum":1},{"maximum":-5}]})", "3", ""},
      {R"({"not":{"type":"null"}})", "null", "fits a schema that it must not"},
      {R"({"if":{"type":"string"},"then":{"minLength":1},"else":false})", R"("")",
       "must have at least 1 characters"},
      {R"({"if":{"type":"string"},"then":true,"else":false})", "7", "is not allowed"},
      // A rule about one kind of value says nothing about the others.
      {R"({"minimum":3,"minLength":3,"minItems":3,"minProperties":3})", "null", ""},
      // A remark, not a rule.
      {R"({"format":"date"})", R"("no date")", ""},
      {R"({"x-unknown":{"type":7}})", "7", ""},
  });
}

TEST(SchemaTest, ReferencesLeadWithinTheSchema) {
  const char* schema = R"({"definitions":{"a/b":{"type":"string"},"c%d":{"$ref":"#/x/0"}},)"
                       R"("x":[{"minLength":2}],)"
                       R"("properties":{"one":{"$ref":"#/definitions/a~1b"},)"
                       R"("two":{"$ref":"#/definitions/c%25d","type":"null"},)"
                       R"("self":{"$ref":"#"}}})";
  EXPECT_EQ(problem(schema, R"({"one":1})"), "one: must be of type string, not a number");
  EXPECT_EQ(problem(schema, R"({"two":"a"})"), "two: must have at least 2 characters");
  EXPECT_EQ(problem(schema, R"({"self":{"self":{"one":1}}})"),
            "self.self.one: must be of type string, not a number");
  EXPECT_EQ(problem(schema, R"({"self":{"two":"ab"}})"), "");

  for (const char* nowhere :
       {"#/none", "https://example.com/schema.json", "file:///etc/passwd", "other.json#/a", "#x"}) {
    const std::string text = std::string(R"({"items":{"$ref":")") + nowhere + R"("}})";
    EXPECT_EQ(problem(text, "[]").substr(0, 20), "schema: items.$ref: ") << nowhere;
  }
}

// `count` items with commas between them.
std::string list_of(int count, const std::function<std::string(int)>& item) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + item(i);
  return list;
}

TEST(SchemaTest, ALongChainOfReferencesIsFollowedWithoutEnd) {
  const auto link = [](int i) { return fmt::format(R"("d{}":{{"$ref":"#/x/d{}"}})", i, i + 1); };
  const std::string chain = R"({"x":{)" + list_of(3000, link) + R"(,"d3000":{"type":"null"}},)";
  // Longer than a check may go deep, and than a stack would be.
  EXPECT_EQ(problem(chain + R"("$ref":"#/x/d0"})", "1"),
            "takes too long to check against its schema");
  EXPECT_EQ(problem(chain + R"("$ref":"#/x/d2990"})", "1"), "must be of type null, not a number");
}

TEST(SchemaTest, AHostileSchemaIsRefusedWhenItTakesTooLongToMakeReady) {
  const auto is_spent = [&](const std::string& schema) {
    return problem(schema, "1").ends_with("takes too long to make ready: make the schema smaller");
  };
  // Each leads behind all the others.
  EXPECT_TRUE(is_spent(
      R"({"allOf":[)" +
      list_of(8000, [](int) { return std::string(R"({"$ref":"#/definitions/z"})"); }) +
      R"(],"definitions":{)" +
      list_of(8000, [](int i) { return fmt::format(R"("a{}":{{}})", i); }) + R"(,"z":{}}})"));
  EXPECT_TRUE(is_spent(
      R"({"allOf":[)" +
      list_of(3000, [](int i) { return fmt::format(R"({{"pattern":"a{}.{{900}}"}})", i); }) +
      "]}"));
}

// Each visit of a long name copies and compares it: 160,000 visits would take ten seconds.
TEST(SchemaTest, ALongNameCostsItsLength) {
  const auto all_of = [](const char* reference) {
    const auto link = [&](int) {
      return fmt::format(R"({{"$ref":"#/definitions/{}"}})", reference);
    };
    return R"("allOf":[)" + list_of(400, link) + "]";
  };
  const std::string value = R"({")" + std::string(1'000'000, 'n') + R"(":1})";
  for (const char* rule : {R"({"propertyNames":true})", R"({"properties":{"a":true}})"}) {
    const std::string schema = fmt::format(R"({{"definitions":{{"a":{},"b":{{{}}}}},{}}})", rule,
                                           all_of("a"), all_of("b"));
    EXPECT_EQ(problem(schema, value), "takes too long to check against its schema") << rule;
  }
}

TEST(SchemaTest, AHostileValueCostsABoundedTime) {
  const std::string spent = "takes too long to check against its schema";
  const auto name = [](int i) { return fmt::format(R"("n{}")", i); };
  const auto field = [](int i) { return fmt::format(R"("n{}":0)", i); };
  const std::string object = "{" + list_of(20'000, field) + "}";
  EXPECT_EQ(problem(R"({"required":[)" + list_of(20'000, name) + "]}", object), spent);
  const auto rule = [](int i) { return fmt::format(R"("n{}":["n{}"])", i, 19'999 - i); };
  EXPECT_EQ(problem(R"({"dependencies":{)" + list_of(10'000, rule) + "}}", object), spent);
  const std::string wide = R"({"type":"number",)" + list_of(10'000, field) + "}";
  const std::string items = "[" + list_of(10'000, [](int) { return std::string("1"); }) + "]";
  EXPECT_EQ(problem(R"({"items":)" + wide + "}", items), spent);
  const std::string text = "\"" + std::string(500'000, 'a') + "\"";
  EXPECT_EQ(
      problem(R"({"allOf":[)" +
                  list_of(1000,
                          [](int i) { return fmt::format(R"({{"maxLength":{}}})", 500'000 + i); }) +
                  "]}",
              text),
      spent);
  EXPECT_EQ(problem(R"({"pattern":"^(a|b)*a[ab]{300}c$"})", text), spent);
  EXPECT_EQ(problem(R"({"pattern":"^a+$"})", text), "");
}

TEST(SchemaTest, AHostileSchemaCostsABoundedTime) {
  const char* spent = "takes too long to check against its schema";
  EXPECT_EQ(problem(R"({"$ref":"#"})", "1"), spent);
  EXPECT_EQ(problem(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", "1"), spent);
  EXPECT_EQ(problem(R"({"not":{"$ref":"#"}})", "1"), spent);
  // Each level asks the next one twice.
  std::string value = "1";
  for (int i = 0; i < 60; ++i) value = R"({"a":)" + value + "}";
  EXPECT_NE(problem(R"({"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}})", value), "");
  std::string many = "[0";
  for (int i = 1; i < 2000; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(problem(R"({"uniqueItems":true})", many + "]"), spent);
}

}  // namespace
}  // namespace petrel::schema
