// Validation is one check of a value against a schema, with what it may still cost.
//
// Thread: confined.

#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "schema/reference.h"
#include "schema/schema.h"
#include "schema/steps.h"

namespace petrel::schema {

class Validation {
 public:
  explicit Validation(const Schema::Compiled& schema) : schema_(schema) {}

  Status check(const JsonValue& schema, const JsonValue& value);

 private:
  // What a keyword of the schema means for the value; done if it is not there or says nothing about
  // values of this kind.
  Status check_keywords(const JsonValue& schema, const JsonValue& value);
  Status check_value(const JsonValue& schema, const JsonValue& value);
  Status check_number(const JsonValue& schema, const JsonValue& value);
  Status check_text(const JsonValue& schema, const JsonValue& value);
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

  // The keywords `maxItems` and `minItems`, `maxProperties` and `minProperties`.
  struct CountNames {
    std::string_view most;
    std::string_view least;
    std::string_view noun;
  };
  Status check_count(const JsonValue& schema, std::size_t count, const CountNames& names);
  Status check_present(const JsonValue& names, const JsonValue& value);
  bool matches(const std::string& pattern, std::string_view text);
  const JsonValue* find(const JsonValue& object, std::string_view name) {
    return find_field(object, name, steps_);
  }

  const Schema::Compiled& schema_;
  Steps steps_{kStepsMax};
  int depth_ = 0;
};

}  // namespace petrel::schema
