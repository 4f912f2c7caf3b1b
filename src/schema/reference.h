// Where a reference within a schema leads.
//
// Thread: any.

#pragma once

#include <string_view>

#include "base/json.h"

namespace petrel::schema {

// The field of an object, or null.
const JsonValue* find_field(const JsonValue& object, std::string_view name);

// "#" or "#/definitions/price": a JSON pointer from the root. Null if it leads nowhere, or is of
// another kind.
const JsonValue* follow(const JsonValue& root, std::string_view reference);

}  // namespace petrel::schema
