#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "schema/keywords.h"
#include "schema/schema.h"

namespace petrel::schema {
namespace {

constexpr std::size_t kStepsOfField = 4;

Error expected(std::string_view what, const JsonValue& value) {
  return invalid("", fmt::format("must be {}, not {}", what, value.kind_name()));
}

class Shape {
 public:
  explicit Shape(Steps& steps) : steps_(steps) {}

  Status check(const JsonValue& json) {
    if (json.as_bool() != nullptr) return Done{};
    if (json.as_object() == nullptr) return expected("a schema: an object, true or false", json);
    if (!steps_.take(kStepsOfField * (1 + json.as_object()->size()))) return spent();
    for (const auto& [name, value] : *json.as_object()) {
      const Keyword* keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      TRY(under(name, check_content(value, keyword->content)));
    }
    return Done{};
  }

 private:
  Status check_list(const JsonValue& value, Status (Shape::*rule)(const JsonValue&)) {
    const JsonValue::Array& items = *value.as_array();
    if (!steps_.take(items.size())) return spent();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Status status = (this->*rule)(items[i]);
      if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
    }
    return Done{};
  }

  Status check_fields(const JsonValue& value, Status (Shape::*rule)(const JsonValue&)) {
    if (value.as_object() == nullptr) return expected("an object", value);
    if (!steps_.take(value.as_object()->size())) return spent();
    for (const auto& [name, content] : *value.as_object()) {
      TRY(under(name, (this->*rule)(content)));
    }
    return Done{};
  }

  Status check_text(const JsonValue& value) {
    if (value.as_string() == nullptr) return expected("a string", value);
    return Done{};
  }

  Status check_type(const JsonValue& value) {
    if (value.as_string() == nullptr) return expected("the name of a type", value);
    if (std::find(kTypes.begin(), kTypes.end(), *value.as_string()) == kTypes.end()) {
      return invalid("", fmt::format("{} is not a type of JSON", in_quotes(*value.as_string())));
    }
    return Done{};
  }

  Status check_types(const JsonValue& value) {
    if (value.as_array() == nullptr) return check_type(value);
    if (value.as_array()->empty()) return invalid("", "must name at least one type");
    return check_list(value, &Shape::check_type);
  }

  Status check_number(const JsonValue& value, Content content) {
    if (content == Content::Count) {
      const std::optional<double> number = value.as_number();
      const bool is_whole = value.as_integer() != nullptr;
      if (!is_whole || *number < 0) return invalid("", "must be a whole number of at least 0");
      return Done{};
    }
    if (!value.as_number()) return expected("a number", value);
    if (content == Content::PositiveNumber && *value.as_number() <= 0) {
      return invalid("", "must be greater than 0");
    }
    return Done{};
  }

  Status check_names(const JsonValue& value) {
    if (value.as_array() == nullptr) return expected("a list of strings", value);
    return check_list(value, &Shape::check_text);
  }

  Status check_dependency(const JsonValue& value) {
    return value.as_array() == nullptr ? check(value) : check_list(value, &Shape::check_text);
  }

  Status check_content(const JsonValue& value, Content content) {
    switch (content) {
      case Content::Anything:
        return Done{};
      case Content::Text:
        return check_text(value);
      case Content::Flag:
        return value.as_bool() == nullptr ? Status(expected("true or false", value)) : Done{};
      case Content::Number:
      case Content::PositiveNumber:
      case Content::Count:
        return check_number(value, content);
      case Content::Type:
        return check_types(value);
      case Content::Names:
        return check_names(value);
      case Content::Values:
        return value.as_array() == nullptr ? Status(expected("a list", value)) : Done{};
      case Content::One:
        return check(value);
      case Content::OneOrList:
        return value.as_array() == nullptr ? check(value) : check_list(value, &Shape::check);
      case Content::List:
        if (value.as_array() == nullptr) return expected("a list of schemas", value);
        if (value.as_array()->empty()) return invalid("", "must have at least one schema");
        return check_list(value, &Shape::check);
      case Content::Named:
        return check_fields(value, &Shape::check);
      case Content::Dependencies:
        return check_fields(value, &Shape::check_dependency);
    }
    return Done{};
  }

  static Error spent() { return invalid("", "is too large a schema"); }

  Steps& steps_;
};

}  // namespace

Status check_shape(const JsonValue& json) {
  Steps steps(std::numeric_limits<std::int64_t>::max());
  return check_shape(json, steps);
}

Status check_shape(const JsonValue& json, Steps& steps) { return Shape(steps).check(json); }

}  // namespace petrel::schema
