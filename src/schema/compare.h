// When two JSON values are the same to a schema: numbers by their value, objects without regard to
// the order of their fields.
//
// Thread: any.

#pragma once

#include "base/json.h"
#include "schema/steps.h"

namespace petrel::schema {

// Says false once the steps are used up.
bool is_equal(const JsonValue& a, const JsonValue& b, Steps& steps);

}  // namespace petrel::schema
