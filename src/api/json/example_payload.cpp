#include "api/json/example_payload.h"

#include <fmt/format.h>

#include "api/json/fields.h"

namespace petrel::api {
namespace {

// Null if there are none.
const JsonValue::Array* examples_of(const JsonValue& schema) {
  const Result<Fields> fields = Fields::of(schema);
  const JsonValue* examples = fields.ok() ? fields->find("examples") : nullptr;
  const JsonValue::Array* array = examples == nullptr ? nullptr : examples->as_array();
  return array == nullptr || array->empty() ? nullptr : array;
}

const JsonValue::Array* find_examples(const JsonValue& schemas) {
  const JsonValue::Object* versions = schemas.as_object();
  if (versions == nullptr) return nullptr;
  const JsonValue::Array* found = nullptr;
  for (const auto& [version, schema] : *versions) {
    const JsonValue::Array* examples = examples_of(schema);
    if (examples == nullptr) continue;
    if (version == "1") return examples;
    found = examples;
  }
  return found;
}

}  // namespace

Result<std::string> example_payload(std::string_view schemas, std::size_t index) {
  const Result<JsonValue> parsed = parse_json(schemas);
  const JsonValue::Array* examples = parsed.ok() ? find_examples(*parsed) : nullptr;
  if (examples == nullptr) return not_found("the schemas of this event type have no examples");
  if (index >= examples->size()) {
    return invalid(
        "", fmt::format("must be 0 to {}: there are no more examples", examples->size() - 1));
  }
  const JsonValue& example = (*examples)[index];
  if (example.as_object() == nullptr) return not_found("this example is not an object");
  JsonWriter json;
  write_json(example, json);
  return json.take();
}

void write_json(const JsonValue& value, JsonWriter& json) {
  if (const auto* object = value.as_object()) {
    json.begin_object();
    for (const auto& [name, content] : *object) {
      json.key(name);
      write_json(content, json);
    }
    json.end_object();
  } else if (const auto* array = value.as_array()) {
    json.begin_array();
    for (const JsonValue& item : *array) write_json(item, json);
    json.end_array();
  } else if (const auto* text = value.as_string()) {
    json.value(*text);
  } else if (const auto* truth = value.as_bool()) {
    json.value(*truth);
  } else if (const auto* whole = value.as_integer()) {
    json.value(*whole);
  } else if (const auto number = value.as_number()) {
    json.value(*number);
  } else {
    json.null();
  }
}

}  // namespace petrel::api
