// Where a reference within a schema leads.
//
// Thread: any.

#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/steps.h"

namespace petrel::schema {

// The field of an object, or null. Costs as many steps as there are fields to look at.
const JsonValue* find_field(const JsonValue& object, std::string_view name, Steps& steps);

// "#" or "#/definitions/price": a JSON pointer from the root. Null if it leads nowhere, or is of
// another kind, or the steps are used up.
const JsonValue* follow(const JsonValue& root, std::string_view reference, Steps& steps);

}  // namespace petrel::schema
