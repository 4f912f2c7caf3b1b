#include "schema/compare.h"

#include <algorithm>

#include "schema/reference.h"

namespace petrel::schema {
namespace {

bool are_equal(const JsonValue::Array& a, const JsonValue::Array& b, Steps& steps) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const JsonValue& one, const JsonValue& other) { return is_equal(one, other, steps); });
}

bool are_equal(const JsonValue& a, const JsonValue& b, Steps& steps) {
  const JsonValue::Object& fields = *a.as_object();
  if (fields.size() != b.as_object()->size()) return false;
  return std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
    const JsonValue* other = find_field(b, field.first, steps);
    return other != nullptr && is_equal(field.second, *other, steps);
  });
}

}  // namespace

bool is_equal(const JsonValue& a, const JsonValue& b, Steps& steps) {
  if (!steps.take(3)) return false;
  if (a.as_integer() != nullptr && b.as_integer() != nullptr) {
    return *a.as_integer() == *b.as_integer();
  }
  if (a.as_number()) return b.as_number() && *a.as_number() == *b.as_number();
  if (a.kind_name() != b.kind_name()) return false;
  if (a.as_bool() != nullptr) return *a.as_bool() == *b.as_bool();
  if (a.as_string() != nullptr) {
    const std::string& text = *a.as_string();
    return text.size() == b.as_string()->size() && steps.take(text.size() / kBytesAStep) &&
           text == *b.as_string();
  }
  if (a.as_array() != nullptr) return are_equal(*a.as_array(), *b.as_array(), steps);
  if (a.as_object() != nullptr) return are_equal(a, b, steps);
  return true;  // Both are null.
}

}  // namespace petrel::schema
