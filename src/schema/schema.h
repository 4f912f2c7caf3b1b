// Schema is a JSON Schema of draft 7 that values are checked against.
//
//   Result<Schema> schema = Schema::compile(json);
//   schema->check(value)  → Invalid at "items[2].price": "must not be less than 0"
//
// Everything of draft 7 is checked but `format`, which is a remark there and no rule, and what
// `contentEncoding` and `contentMediaType` say. References lead within the schema alone ("#/…");
// nothing is ever fetched.
//
// The author of a schema can make it costly. So a check takes a bounded number of steps and goes
// to a bounded depth, and patterns are bounded as pattern.h says; what cannot be decided within
// that is not valid.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "schema/pattern.h"
#include "schema/steps.h"

namespace petrel::schema {

// Of one check: some tens of milliseconds, enough for every value of the largest payload. A schema
// is made ready within as many.
inline constexpr std::int64_t kStepsMax = 4'000'000;
inline constexpr int kDepthMax = 200;

// Whether it is a schema at all: each keyword has a value that it can have. The error is at the
// keyword: "properties.id.type". The second form gives up when the steps are used up.
Status check_shape(const JsonValue& json);
Status check_shape(const JsonValue& json, Steps& steps);

class Schema {
 public:
  // What a check needs: the schema, its patterns, and where its references lead, by the value of
  // their `$ref`.
  struct Compiled {
    JsonValue root;
    std::unordered_map<std::string, Pattern> patterns = {};
    std::unordered_map<const JsonValue*, const JsonValue*> targets = {};
    std::int64_t steps = 0;
  };

  // Invalid, beyond check_shape(), if a reference leads nowhere or a pattern is not one that we
  // match, or if it takes too long to make ready.
  static Result<Schema> compile(JsonValue json);

  // The error is at the place in the value; it has no field if it is about the whole.
  Status check(const JsonValue& value) const;

  // What it took to make it ready, as a measure of how large it is.
  std::int64_t steps() const { return compiled_->steps; }

 private:
  explicit Schema(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;  // Shared by copies of the schema.
};

}  // namespace petrel::schema
