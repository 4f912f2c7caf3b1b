// The keywords of draft 7, by what their value is made of. It is what tells a schema within a
// schema from a value that only looks like one: the fields of `properties` are schemas, those of
// `const` are not.
//
// Thread: any.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace petrel::schema {

enum class Content : std::uint8_t {
  Anything,
  Text,
  Flag,
  Number,
  PositiveNumber,
  Count,  // A whole number, not negative.
  Type,   // The name of a type, or a list of them without doubles.
  Names,  // A list of strings.
  Values,
  One,          // A schema.
  OneOrList,    // A schema, or a list of them.
  List,         // A list of at least one schema.
  Named,        // An object of schemas.
  Dependencies  // An object of schemas and lists of names.
};

struct Keyword {
  std::string_view name;
  Content content;
};

// In the order of their names.
inline constexpr std::array<Keyword, 37> kKeywords = {{
    {"$ref", Content::Text},
    {"additionalItems", Content::One},
    {"additionalProperties", Content::One},
    {"allOf", Content::List},
    {"anyOf", Content::List},
    {"const", Content::Anything},
    {"contains", Content::One},
    {"definitions", Content::Named},
    {"dependencies", Content::Dependencies},
    {"description", Content::Text},
    {"else", Content::One},
    {"enum", Content::Values},
    {"exclusiveMaximum", Content::Number},
    {"exclusiveMinimum", Content::Number},
    {"format", Content::Text},
    {"if", Content::One},
    {"items", Content::OneOrList},
    {"maxItems", Content::Count},
    {"maxLength", Content::Count},
    {"maxProperties", Content::Count},
    {"maximum", Content::Number},
    {"minItems", Content::Count},
    {"minLength", Content::Count},
    {"minProperties", Content::Count},
    {"minimum", Content::Number},
    {"multipleOf", Content::PositiveNumber},
    {"not", Content::One},
    {"oneOf", Content::List},
    {"pattern", Content::Text},
    {"patternProperties", Content::Named},
    {"properties", Content::Named},
    {"propertyNames", Content::One},
    {"required", Content::Names},
    {"then", Content::One},
    {"title", Content::Text},
    {"type", Content::Type},
    {"uniqueItems", Content::Flag},
}};

// Null if it is none.
inline const Keyword* find_keyword(std::string_view name) {
  const auto found = std::lower_bound(
      kKeywords.begin(), kKeywords.end(), name,
      [](const Keyword& each, std::string_view wanted) { return each.name < wanted; });
  return found != kKeywords.end() && found->name == name ? &*found : nullptr;
}

inline constexpr std::array<std::string_view, 7> kTypes = {
    "array", "boolean", "integer", "null", "number", "object", "string",
};

}  // namespace petrel::schema
