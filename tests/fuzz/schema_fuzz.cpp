// JSON Schemas and what is checked against them: a schema in the first line, a value behind it.
// Both are hostile, and neither may take long: the fuzzer's own limit in time is what shows it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "schema/schema.h"

namespace petrel::schema {
namespace {

void check_schema(std::string_view schema_text, std::string_view value_text) {
  Result<JsonValue> json = parse_json(schema_text);
  if (!json.ok()) return;
  const Status shape = check_shape(*json);
  const Result<Schema> schema = Schema::compile(*std::move(json));
  if (!schema.ok()) {
    CHECK(schema.error().kind == ErrorKind::Invalid);
    return;
  }
  CHECK(shape.ok());
  CHECK(schema->steps() <= kStepsMax);
  const Result<JsonValue> value = parse_json(value_text);
  if (!value.ok()) return;
  const Status status = schema->check(*value);
  CHECK(status.ok() || status.error().kind == ErrorKind::Invalid);
  CHECK(schema->check(*value).ok() == status.ok());
}

// The first line as a pattern, and the rest as a text for it.
void check_pattern(std::string_view pattern_text, std::string_view text) {
  const Result<Pattern> pattern = Pattern::compile(pattern_text);
  if (!pattern.ok()) return;
  CHECK(pattern->size() <= kPatternStatesMax);
  constexpr std::int64_t kSteps = 10'000'000;
  Steps steps(kSteps);
  const bool fits = pattern->matches(text, steps);
  const auto bound = static_cast<std::int64_t>(pattern->size() * (text.size() + 2));
  CHECK(kSteps - steps.left() <= bound);
  Steps few(kSteps - steps.left());
  CHECK(pattern->matches(text, few) == fits);
}

}  // namespace
}  // namespace petrel::schema

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(end + 1, text.size()));
  petrel::schema::check_schema(text.substr(0, end), rest);
  petrel::schema::check_pattern(text.substr(0, end), rest);
  return 0;
}
