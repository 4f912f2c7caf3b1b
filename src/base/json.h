// JsonValue is a parsed JSON text as a plain tree, for what is read now and then: policies,
// settings, the bodies of management calls. (Messages on the hot path are read in place instead.)
//
// parse_json() validates the whole text and refuses what would be ambiguous: two fields of the same
// name in one object. Objects keep the order of their fields.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace petrel {

class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  JsonValue() : value_(nullptr) {}
  explicit JsonValue(Value value) : value_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }

  // Becomes an empty value of this kind, to be filled in place.
  template <typename Kind>
  Kind& make() {
    return value_.emplace<Kind>();
  }

  // Null if the value is of another kind.
  const bool* as_bool() const { return std::get_if<bool>(&value_); }
  const std::string* as_string() const { return std::get_if<std::string>(&value_); }
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  const Object* as_object() const { return std::get_if<Object>(&value_); }

  // Whole numbers only; 5.0 is not one.
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }

  // Any number.
  std::optional<double> as_number() const;

  // "a string", "a list", …: for error messages.
  std::string_view kind_name() const;

 private:
  Value value_;
};

// The error says what is wrong with the text as a whole; its field is empty, or the path of a field
// that appears twice.
Result<JsonValue> parse_json(std::string_view text);

}  // namespace petrel
