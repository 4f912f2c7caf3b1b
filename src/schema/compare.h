// When two JSON values are the same to a schema: numbers by their value, objects without regard to
// the order of their fields.
//
// Thread: any.

#pragma once

#include "base/json.h"

namespace petrel::schema {

// Takes one off `steps` for every value that it looks at, and says false once they are used up.
bool is_equal(const JsonValue& a, const JsonValue& b, int& steps);

}  // namespace petrel::schema
