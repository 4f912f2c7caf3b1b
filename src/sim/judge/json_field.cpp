#include "sim/judge/json_field.h"

#include <algorithm>
#include <utility>

#include "base/duration_text.h"
#include "base/rfc3339.h"

namespace petrel::sim::judge {

JsonValue read_json(std::string_view text) {
  Result<JsonValue> json = parse_json(text);
  return json.ok() ? *std::move(json) : JsonValue();
}

const JsonValue* field(const JsonValue& json, std::string_view name) {
  const JsonValue::Object* const object = json.as_object();
  if (object == nullptr) return nullptr;
  for (const auto& [each, value] : *object) {
    if (each == name) return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

std::optional<std::string> text_field(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = field(json, name);
  if (value == nullptr || value->as_string() == nullptr) return std::nullopt;
  return *value->as_string();
}

std::optional<double> number_field(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = field(json, name);
  return value == nullptr ? std::nullopt : value->as_number();
}

std::optional<int> int_field(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = field(json, name);
  if (value == nullptr || value->as_integer() == nullptr) return std::nullopt;
  return static_cast<int>(*value->as_integer());
}

std::optional<bool> bool_field(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = field(json, name);
  if (value == nullptr || value->as_bool() == nullptr) return std::nullopt;
  return *value->as_bool();
}

std::optional<Duration> read_duration(const JsonValue& value) {
  if (value.as_string() == nullptr) return std::nullopt;
  const Result<Duration> duration = parse_duration(*value.as_string());
  if (!duration.ok()) return std::nullopt;
  return *duration;
}

std::optional<Duration> duration_field(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = field(json, name);
  return value == nullptr ? std::nullopt : read_duration(*value);
}

std::optional<WallTime> time_field(const JsonValue& json, std::string_view name) {
  const auto text = text_field(json, name);
  if (!text) return std::nullopt;
  const Result<WallTime> time = parse_rfc3339(*text);
  if (!time.ok()) return std::nullopt;
  return *time;
}

std::vector<std::string> words_field(const JsonValue& json, std::string_view name) {
  std::vector<std::string> words;
  const JsonValue* const value = field(json, name);
  const JsonValue::Array* const list = value == nullptr ? nullptr : value->as_array();
  if (list == nullptr) return words;
  for (const JsonValue& word : *list) {
    if (word.as_string() != nullptr) words.push_back(*word.as_string());
  }
  return words;
}

bool is_same(const JsonValue& a, const JsonValue& b) {
  if (a.kind_name() != b.kind_name()) return false;
  if (const auto* const object = a.as_object()) {
    return object->size() == b.as_object()->size() &&
           std::all_of(object->begin(), object->end(), [&](const auto& each) {
             const auto& others = *b.as_object();
             const auto other = std::find_if(others.begin(), others.end(), [&](const auto& one) {
               return one.first == each.first;
             });
             return other != others.end() && is_same(each.second, other->second);
           });
  }
  if (const auto* const list = a.as_array()) {
    return std::equal(list->begin(), list->end(), b.as_array()->begin(), b.as_array()->end(),
                      is_same);
  }
  if (const auto* const text = a.as_string()) return *text == *b.as_string();
  if (const auto* const truth = a.as_bool()) return *truth == *b.as_bool();
  return a.as_number() == b.as_number();
}

JsonValue merged(const JsonValue& object, const JsonValue& change) {
  JsonValue::Object fields;
  if (object.as_object() != nullptr) fields = *object.as_object();
  if (change.as_object() != nullptr) {
    for (const auto& field : *change.as_object()) {
      std::erase_if(fields, [&](const auto& each) { return each.first == field.first; });
      if (!field.second.is_null()) fields.push_back(field);
    }
  }
  return JsonValue(JsonValue::Value(std::move(fields)));
}

}  // namespace petrel::sim::judge
