// Walk is one check of a value against a schema, with what it may still cost.
//
// Thread: confined.

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "base/result.h"
#include "schema/pattern.h"
#include "schema/schema.h"

namespace petrel::schema {

class Walk {
 public:
  using Patterns = std::unordered_map<std::string, Pattern>;

  Walk(const JsonValue& root, const Patterns& patterns) : root_(root), patterns_(patterns) {}

  Status check(const JsonValue& schema, const JsonValue& value);

 private:
  // What a keyword of the schema means for the value; done if it is not there or says nothing about
  // values of this kind.
  Status check_keywords(const JsonValue& schema, const JsonValue& value);
  Status check_value(const JsonValue& schema, const JsonValue& value);
  Status check_number(const JsonValue& schema, const JsonValue& value) const;
  Status check_text(const JsonValue& schema, const JsonValue& value) const;
  Status check_joined(const JsonValue& schema, const JsonValue& value);
  Status check_condition(const JsonValue& schema, const JsonValue& value);

  Status check_list(const JsonValue& schema, const JsonValue& value);
  Status check_items(const JsonValue& schema, const JsonValue::Array& items);
  Status check_unique(const JsonValue& schema, const JsonValue::Array& items);
  Status check_object(const JsonValue& schema, const JsonValue& value);
  Status check_properties(const JsonValue& schema, const JsonValue& value);
  Status check_property(const JsonValue& schema, const std::string& name, const JsonValue& value);
  Status check_dependencies(const JsonValue& schema, const JsonValue& value);

  // How many of the schemas fit.
  std::size_t count_fitting(const JsonValue::Array& schemas, const JsonValue& value);

  // Whether it fits, where not fitting is no mistake yet. Running out of steps is never a fit.
  bool fits(const JsonValue& schema, const JsonValue& value);

  Status check_pattern(const std::string& pattern, const std::string& text) const;
  bool is_spent() const { return steps_ < 0; }

  const JsonValue& root_;
  const Patterns& patterns_;
  int steps_ = kStepsMax;
  int depth_ = 0;
};

}  // namespace petrel::schema
