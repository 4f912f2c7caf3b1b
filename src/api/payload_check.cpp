#include "api/payload_check.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "schema/schema.h"

namespace petrel::api {
namespace {

constexpr std::size_t kRememberedMax = 256;

struct Version {
  std::string name;
  JsonValue schema;
};

Result<Version> highest_version(const std::string& schemas) {
  const Result<JsonValue> json = parse_json(schemas);
  const JsonValue::Object* versions = json.ok() ? json->as_object() : nullptr;
  if (versions == nullptr) return corrupt("the schemas of an event type cannot be read");
  std::optional<std::int64_t> highest;
  const JsonValue* schema = nullptr;
  std::string name;
  for (const auto& [key, value] : *versions) {
    const std::optional<std::int64_t> number = parse_digits(key);
    if (!number || (highest && *number <= *highest)) continue;
    highest = number;
    schema = &value;
    name = key;
  }
  if (schema == nullptr) {
    return invalid("", "has no version that is a whole number, such as \"1\"");
  }
  return Version{name, *schema};
}

Result<schema::Schema> compile(const model::EventType& type) {
  Result<Version> version = highest_version(type.schemas);
  if (!version.ok()) return version.error();
  Result<schema::Schema> compiled = schema::Schema::compile(std::move(version->schema));
  if (!compiled.ok()) return compiled.error().under(version->name);
  return compiled;
}

struct Remembered {
  std::string text;  // What it was compiled from: the type may have changed since.
  schema::Schema schema;
};

Result<const schema::Schema*> find_schema(const model::EventType& type) {
  thread_local std::unordered_map<std::string, Remembered> remembered;
  const std::string key = type.organisation.text() + "/" + type.name;
  const auto found = remembered.find(key);
  if (found != remembered.end() && found->second.text == type.schemas) {
    return &found->second.schema;
  }
  Result<schema::Schema> compiled = compile(type);
  if (!compiled.ok()) return compiled.error();
  if (remembered.size() >= kRememberedMax) remembered.clear();
  const auto placed =
      remembered.insert_or_assign(key, Remembered{type.schemas, *std::move(compiled)});
  return &placed.first->second.schema;
}

}  // namespace

Status check_enforceable(const model::EventType& type) {
  const Result<schema::Schema> compiled = compile(type);
  if (!compiled.ok()) return compiled.error();
  return Done{};
}

Status check_payload(const model::EventType& type, std::string_view payload) {
  if (!type.is_enforced || type.schemas.empty()) return Done{};
  const Result<const schema::Schema*> schema = find_schema(type);
  if (!schema.ok()) return schema.error();
  const Result<JsonValue> json = parse_json(payload);
  if (!json.ok()) return json.error().under("body.payload");
  const Status status = (*schema)->check(*json);
  return status.ok() ? status : Status(status.error().under("body.payload"));
}

}  // namespace petrel::api
