#include "api/json/event_type.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "api/json/fields.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "intake/names.h"
#include "intake/schema_check.h"
#include "schema/schema.h"

namespace petrel::api {
namespace {

constexpr TextReading kReadDescription{.bytes_min = 0, .bytes_max = 4096};
constexpr std::size_t kFlagsMax = 100;

Result<std::string> read_plain_name(const JsonValue& value) {
  Result<std::string> name = TextReading{}(value);
  if (!name.ok()) return name;
  TRY(intake::check_event_type(*name));
  return name;
}

Result<std::vector<std::string>> read_flags(const JsonValue& value) {
  const JsonValue::Array* array = value.as_array();
  if (array == nullptr) return wrong_kind(value, "a list of strings");
  if (array->size() > kFlagsMax) {
    return invalid("", fmt::format("must not have more than {} items", kFlagsMax));
  }
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < array->size(); ++i) {
    Result<std::string> flag = read_plain_name((*array)[i]);
    if (!flag.ok()) return flag.error().under(fmt::format("[{}]", i));
    if (std::find(flags.begin(), flags.end(), *flag) == flags.end()) {
      flags.push_back(*std::move(flag));
    }
  }
  return flags;
}

Result<std::vector<std::string>> read_flag(const JsonValue& value) {
  ASSIGN_OR_RETURN(std::string flag, read_plain_name(value));
  return std::vector<std::string>{std::move(flag)};
}

// The text of a field of a body's object, as it stands there.
std::string raw_field(std::string_view body, std::string_view name) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(body);
  simdjson::ondemand::document document = parser.iterate(padded);
  simdjson::ondemand::object value = document[name].get_object();
  return std::string(std::string_view(value.raw_json()));
}

Status check_schemas(const JsonValue& schemas) {
  const JsonValue::Object* versions = schemas.as_object();
  if (versions == nullptr) return wrong_kind(schemas, "an object of schemas by their version");
  for (const auto& [version, schema] : *versions) {
    TRY(under(version, schema::check_shape(schema)));
  }
  return Done{};
}

Status take_schemas(const Fields& fields, std::string_view text, std::string& place) {
  const JsonValue* value = fields.find("schemas");
  if (value == nullptr) return Done{};
  if (value->is_null()) {
    place.clear();
    return Done{};
  }
  if (value->as_object() == nullptr) return check_schemas(*value).error().under("schemas");
  std::string raw;
  try {
    raw = raw_field(text, "schemas");
  } catch (const simdjson::simdjson_error& failure) {
    return invalid("schemas", failure.what());  // It was parsed before: not reached in practice.
  }
  if (raw.size() > kSchemasBytesMax) {
    return invalid("schemas",
                   fmt::format("must not be longer than {} KiB", kSchemasBytesMax / 1024));
  }
  TRY(under("schemas", check_schemas(*value)));
  place = std::move(raw);
  return Done{};
}

// With what the body left as it was: either of the two may be what makes it impossible.
Status check_enforced(const model::EventType& type) {
  if (!type.is_enforced) return Done{};
  if (type.schemas.empty()) {
    return invalid("validate", "needs a schema that payloads can be checked against");
  }
  return under("schemas", intake::check_enforceable(type));
}

void write_text_or_null(std::string_view name, const std::string& text, JsonWriter& json) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

}  // namespace

Status check_event_type_name(std::string_view name) {
  TRY(intake::check_event_type(name));
  if (name.starts_with('-')) return invalid("", "must not begin with '-'");
  return Done{};
}

Result<std::string> read_event_type_name(const JsonValue& body) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  const JsonValue* value = fields.find("name");
  if (value == nullptr) return invalid("name", "is missing");
  Result<std::string> name = TextReading{}(*value);
  if (!name.ok()) return name.error().under("name");
  TRY(under("name", check_event_type_name(*name)));
  return name;
}

Status read_event_type(const JsonValue& body, std::string_view text, model::EventType& type) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  const bool has_list = fields.find("featureFlags") != nullptr;
  TRY(first_error({
      take(fields, "description", type.description, kReadDescription),
      take(fields, "archived", type.is_archived, read_bool),
      take(fields, "deprecated", type.is_deprecated, read_bool),
      take_schemas(fields, text, type.schemas),
      has_list ? take_or_clear(fields, "featureFlags", type.feature_flags, read_flags)
               : take_or_clear(fields, "featureFlag", type.feature_flags, read_flag),
      take_or_clear(fields, "groupName", type.group_name, read_plain_name),
      take(fields, "validate", type.is_enforced, read_bool),
  }));
  return check_enforced(type);
}

void write_event_type(const model::EventType& type, SchemasShown schemas, JsonWriter& json) {
  json.begin_object();
  json.field("name", type.name).field("description", type.description);
  json.field("archived", type.is_archived).field("deprecated", type.is_deprecated);
  json.key("schemas");
  if (schemas == SchemasShown::No || type.schemas.empty()) {
    json.null();
  } else {
    json.raw(type.schemas);
  }
  json.field("validate", type.is_enforced);
  write_text_or_null("groupName", type.group_name, json);
  write_text_or_null("featureFlag",
                     type.feature_flags.empty() ? std::string() : type.feature_flags.front(), json);
  json.key("featureFlags");
  if (type.feature_flags.empty()) {
    json.null();
  } else {
    json.begin_array();
    for (const std::string& flag : type.feature_flags) json.value(flag);
    json.end_array();
  }
  json.field("createdAt", to_rfc3339(type.created_at));
  json.field("updatedAt", to_rfc3339(type.updated_at));
  json.end_object();
}

}  // namespace petrel::api
