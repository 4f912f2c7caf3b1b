#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"

namespace petrel {
namespace {

// Deep enough for any policy or schema, far from what could exhaust a stack.
constexpr std::size_t kDepthMax = 64;

Result<JsonValue> convert(simdjson::dom::element element);

Result<JsonValue> convert_array(simdjson::dom::array elements) {
  JsonValue::Array array;
  for (const simdjson::dom::element element : elements) {
    Result<JsonValue> item = convert(element);
    if (!item.ok()) return item.error().under(fmt::format("[{}]", array.size()));
    array.push_back(*std::move(item));
  }
  return JsonValue(JsonValue::Value(std::move(array)));
}

Result<JsonValue> convert_object(simdjson::dom::object fields) {
  JsonValue::Object object;
  std::vector<std::string_view> names;
  for (const simdjson::dom::key_value_pair field : fields) {
    Result<JsonValue> value = convert(field.value);
    if (!value.ok()) return value.error().under(field.key);
    object.emplace_back(std::string(field.key), *std::move(value));
    names.push_back(field.key);
  }
  // Sorted, since comparing each with each would let a hostile text keep us busy.
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return invalid(*twice, "stands twice");
  return JsonValue(JsonValue::Value(std::move(object)));
}

Result<JsonValue> convert(simdjson::dom::element element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::ARRAY:
      return convert_array(simdjson::dom::array(element));
    case Type::OBJECT:
      return convert_object(simdjson::dom::object(element));
    case Type::INT64:
      return JsonValue(JsonValue::Value(std::int64_t{element}));
    case Type::UINT64:  // Only what is too large for INT64 comes as this.
      return JsonValue(JsonValue::Value(static_cast<double>(std::uint64_t{element})));
    case Type::DOUBLE:
      return JsonValue(JsonValue::Value(double{element}));
    case Type::STRING:
      return JsonValue(JsonValue::Value(std::string(std::string_view(element))));
    case Type::BOOL:
      return JsonValue(JsonValue::Value(bool{element}));
    case Type::NULL_VALUE:
      return JsonValue();
  }
  return invalid("", "is not JSON");
}

}  // namespace

std::optional<double> JsonValue::as_number() const {
  if (const auto* whole = as_integer()) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return std::nullopt;
}

std::string_view JsonValue::kind_name() const {
  constexpr std::string_view kNames[] = {"null",     "a boolean", "a number", "a number",
                                         "a string", "a list",    "an object"};
  return kNames[value_.index()];
}

Result<JsonValue> parse_json(std::string_view text) {
  try {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    // The parser counts the innermost level as one more, unless it is empty.
    const std::size_t depth = kDepthMax + 1;
    if (parser.allocate(std::max<std::size_t>(text.size(), 64), depth) != simdjson::SUCCESS) {
      return unavailable("out of memory while reading JSON");
    }
    // An empty text may be a null pointer, which the parser would copy from.
    const auto error =
        text.empty() ? simdjson::EMPTY : parser.parse(text.data(), text.size()).get(root);
    if (error == simdjson::EMPTY) return invalid("", "is empty where JSON was expected");
    if (error == simdjson::DEPTH_ERROR) {
      return invalid("", fmt::format("is nested more than {} levels deep", kDepthMax));
    }
    if (error != simdjson::SUCCESS) {
      return invalid("", fmt::format("is not valid JSON: {}", simdjson::error_message(error)));
    }
    return convert(root);
  } catch (const simdjson::simdjson_error& failure) {
    return invalid("", fmt::format("is not valid JSON: {}", failure.what()));
  }
}

}  // namespace petrel
