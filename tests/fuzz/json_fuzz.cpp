// JSON: what parses is written as a text that parses as the same, whatever stands in it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace petrel {
namespace {

void write(const JsonValue& value, JsonWriter& json) {
  if (value.is_null()) {
    json.null();
  } else if (const bool* truth = value.as_bool()) {
    json.value(*truth);
  } else if (const std::int64_t* whole = value.as_integer()) {
    json.value(*whole);
  } else if (const std::string* text = value.as_string()) {
    json.value(*text);
  } else if (const JsonValue::Array* list = value.as_array()) {
    json.begin_array();
    for (const JsonValue& item : *list) write(item, json);
    json.end_array();
  } else if (const JsonValue::Object* object = value.as_object()) {
    json.begin_object();
    for (const auto& [name, item] : *object) {
      json.key(name);
      write(item, json);
    }
    json.end_object();
  } else {
    // Minus zero is read as the whole number 0, which has no sign.
    const double number = value.as_number().value();
    json.value(number == 0 ? 0.0 : number);
  }
}

std::string text_of(const JsonValue& value) {
  JsonWriter json;
  write(value, json);
  return json.take();
}

void check_value(std::string_view text) {
  const Result<JsonValue> value = parse_json(text);
  if (!value.ok()) {
    CHECK(value.error().kind == ErrorKind::Invalid);
    CHECK(!value.error().detail.empty());
    return;
  }
  const std::string once = text_of(*value);
  const Result<JsonValue> again = parse_json(once);
  CHECK(again.ok());
  CHECK(text_of(*again) == once);
}

// Any bytes can be written as a string, and what comes out is JSON.
void check_string(std::string_view bytes) {
  JsonWriter json;
  json.begin_array().value(bytes).end_array();
  const Result<JsonValue> value = parse_json(json.text());
  CHECK(value.ok());
  CHECK(value->as_array()->front().as_string() != nullptr);
}

}  // namespace
}  // namespace petrel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::check_value(text);
  petrel::check_string(text);
  return 0;
}
