// Schema is a JSON Schema of draft 7 that values are checked against.
//
//   Result<Schema> schema = Schema::compile(json);
//   schema->check(value)  → Invalid at "items[2].price": "must not be less than 0"
//
// Everything of draft 7 is checked but `format`, which is a remark there and no rule, and what
// `contentEncoding` and `contentMediaType` say. References lead within the schema alone ("#/…");
// nothing is ever fetched.
//
// Whoever writes a schema can make it costly. So a check takes a bounded number of steps and goes
// to a bounded depth, and patterns are bounded as pattern.h says; what cannot be decided within
// that is not valid.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/json.h"
#include "base/result.h"
#include "schema/pattern.h"

namespace petrel::schema {

inline constexpr int kStepsMax = 100'000;
inline constexpr int kDepthMax = 200;

// Whether it is a schema at all: each keyword has a value that it can have. The error is at the
// keyword: "properties.id.type".
Status check_shape(const JsonValue& json);

class Schema {
 public:
  // Invalid, beyond check_shape(), if a reference leads nowhere or a pattern is not one that we
  // match.
  static Result<Schema> compile(JsonValue json);

  // The error is at the place in the value; it has no field if it is about the whole.
  Status check(const JsonValue& value) const;

 private:
  Schema() = default;

  std::shared_ptr<const JsonValue> root_;
  std::unordered_map<std::string, Pattern> patterns_;
};

}  // namespace petrel::schema
