// The JSON form of an EventType.
//
// Its schemas are kept and shown as the very text that they came in. `featureFlag` is the older
// form of `featureFlags`, a list; `validate` is Petrel's own: whether payloads must fit the schema.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "model/event_type.h"

namespace petrel::api {

// Schemas that are longer, all versions together, are refused.
inline constexpr std::size_t kSchemasBytesMax = 256 * 1024;

// What the body says goes into `type`; what it does not mention stays. Errors name the field below
// the body. POST and PUT start from an empty one, PATCH from the one that is there. The name is not
// read.
//
// REQUIRES: `body` is `text`, parsed.
Status read_event_type(const JsonValue& body, std::string_view text, model::EventType& type);

// The name in a body. Errors name the field.
Result<std::string> read_event_type_name(const JsonValue& body);

// Event types are paged by name, and an iterator that begins with '-' goes backwards: so no name
// does.
Status check_event_type_name(std::string_view name);

enum class SchemasShown { Yes, No };

void write_event_type(const model::EventType& type, SchemasShown schemas, JsonWriter& json);

}  // namespace petrel::api
