#include <gtest/gtest.h>

#include "schema/schema.h"

namespace petrel::schema {
namespace {

std::string problem(std::string_view text) {
  const Result<JsonValue> json = parse_json(text);
  EXPECT_TRUE(json.ok()) << text;
  const Status status = check_shape(*json);
  return status.ok() ? "" : status.error().text();
}

TEST(ShapeTest, ASchemaIsOneWhateverElseItHolds) {
  for (const char* good :
       {"true", "{}", R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"T"})",
        R"({"type":["string","null"],"default":7,"examples":[{"type":9}]})",
        R"({"const":{"type":9},"enum":[{"required":1}]})",
        R"({"properties":{"type":{"type":"string"},"required":true}})",
        R"({"items":[{},false],"pattern":"((","$ref":"https://example.com"})"}) {
    EXPECT_EQ(problem(good), "") << good;
  }
}

TEST(ShapeTest, TheErrorIsAtTheKeyword) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"[]", "must be a schema: an object, true or false, not a list"},
      {R"({"type":"text"})", R"(type: "text" is not a type of JSON)"},
      {R"({"type":[]})", "type: must name at least one type"},
      {R"({"properties":[]})", "properties: must be an object, not a list"},
      {R"({"properties":{"a":{"minLength":-1}}})",
       "properties.a.minLength: must be a whole number of at least 0"},
      {R"({"required":["a",1]})", "required[1]: must be a string, not a number"},
      {R"({"allOf":[]})", "allOf: must have at least one schema"},
      {R"({"oneOf":[{},{"not":7}]})",
       "oneOf[1].not: must be a schema: an object, true or false, not a number"},
      {R"({"multipleOf":0})", "multipleOf: must be greater than 0"},
      {R"({"dependencies":{"a":[1]}})", "dependencies.a[0]: must be a string, not a number"},
      {R"({"enum":{}})", "enum: must be a list, not an object"},
      {R"({"uniqueItems":1})", "uniqueItems: must be true or false, not a number"},
      {R"({"pattern":1})", "pattern: must be a string, not a number"},
      {R"({"maximum":"1"})", "maximum: must be a number, not a string"},
  };
  for (const auto& [schema, expected] : cases) EXPECT_EQ(problem(schema), expected) << schema;
}

}  // namespace
}  // namespace petrel::schema
