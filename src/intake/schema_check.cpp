#include "intake/schema_check.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "schema/schema.h"

namespace petrel::intake {
namespace {

// Schemas that a loop keeps ready: so many, and as much as takes so many steps to make ready.
constexpr std::size_t kRememberedMax = 256;
constexpr std::int64_t kRememberedStepsMax = 4 * schema::kStepsMax;

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
  ASSIGN_OR_RETURN(Version version, highest_version(type.schemas));
  Result<schema::Schema> compiled = schema::Schema::compile(std::move(version.schema));
  if (!compiled.ok()) return compiled.error().under(version.name);
  return compiled;
}

struct Remembered {
  std::string text;  // What it was compiled from: the type may have changed since.
  schema::Schema schema;
};

Result<const schema::Schema*> find_schema(const model::EventType& type) {
  thread_local std::unordered_map<std::string, Remembered> remembered;
  thread_local std::int64_t steps = 0;  // Of all of them, and of those that they replaced.
  const std::string key = type.organisation.text() + "/" + type.name;
  const auto found = remembered.find(key);
  if (found != remembered.end() && found->second.text == type.schemas) {
    return &found->second.schema;
  }
  ASSIGN_OR_RETURN(schema::Schema compiled, compile(type));
  if (remembered.size() >= kRememberedMax || steps >= kRememberedStepsMax) {
    remembered.clear();
    steps = 0;
  }
  steps += compiled.steps();
  const auto placed =
      remembered.insert_or_assign(key, Remembered{type.schemas, std::move(compiled)});
  return &placed.first->second.schema;
}

}  // namespace

Status check_enforceable(const model::EventType& type) {
  TRY(compile(type));
  return Done{};
}

Status check_payload(const model::EventType& type, std::string_view payload) {
  if (!type.is_enforced || type.schemas.empty()) return Done{};
  ASSIGN_OR_RETURN(const schema::Schema* schema, find_schema(type));
  ASSIGN_OR_RETURN(const JsonValue json, under("payload", parse_json(payload)));
  return under("payload", schema->check(json));
}

}  // namespace petrel::intake
