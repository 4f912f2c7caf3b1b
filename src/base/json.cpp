#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"

namespace petrel {
namespace {

// Deep enough for any policy or schema, far from what could exhaust a stack.
constexpr std::size_t kDepthMax = 64;

// Each costs an allocation. More than any real text of a megabyte has (pairs of digits come to
// 175,000), and few enough that making and freeing the tree stays well under 50 ms.
constexpr std::size_t kBranchesMax = 250'000;

// In objects of no more fields each name is compared with each, which is quicker than sorting.
constexpr std::size_t kFewFields = 8;

// Two of the names that are the same. Empty if there are none.
std::optional<std::string_view> find_double(std::vector<std::string_view>& names) {
  if (names.size() <= kFewFields) {
    for (auto one = names.begin(); one != names.end(); ++one) {
      if (std::find(names.begin(), one, *one) != one) return *one;
    }
    return std::nullopt;
  }
  // Sorted, since comparing each with each would let a hostile text keep us busy.
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

// Makes a tree of what was parsed, each value in its place.
class Converter {
 public:
  // False if it cannot be; error() says why.
  bool convert(simdjson::dom::element element, JsonValue& place) {
    using Type = simdjson::dom::element_type;
    using Value = JsonValue::Value;
    switch (element.type()) {
      case Type::ARRAY:
        return count_branch() && convert_array(simdjson::dom::array(element), place);
      case Type::OBJECT:
        return count_branch() && convert_object(simdjson::dom::object(element), place);
      case Type::INT64:
        place = JsonValue(Value(std::int64_t{element}));
        return true;
      case Type::UINT64:  // Only what is too large for INT64 comes as this.
        place = JsonValue(Value(static_cast<double>(std::uint64_t{element})));
        return true;
      case Type::DOUBLE:
        place = JsonValue(Value(double{element}));
        return true;
      case Type::STRING:
        place = JsonValue(Value(std::string(std::string_view(element))));
        return true;
      case Type::BOOL:
        place = JsonValue(Value(bool{element}));
        return true;
      case Type::NULL_VALUE:
        return true;
    }
    error_ = invalid("", "is not JSON");
    return false;
  }

  const Error& error() const { return error_; }

 private:
  bool count_branch() {
    if (++branch_count_ <= kBranchesMax) return true;
    error_ = invalid("", fmt::format("holds more than {} lists and objects", kBranchesMax));
    is_too_large_ = true;
    return false;
  }

  // Both build in place: moving each finished branch up would double the cost of a deep text.
  bool convert_array(simdjson::dom::array elements, JsonValue& place) {
    auto& array = place.make<JsonValue::Array>();
    array.reserve(elements.size());
    for (const simdjson::dom::element element : elements) {
      if (!convert(element, array.emplace_back())) {
        return fail_under(fmt::format("[{}]", array.size() - 1));
      }
    }
    return true;
  }

  bool convert_object(simdjson::dom::object fields, JsonValue& place) {
    auto& object = place.make<JsonValue::Object>();
    object.reserve(fields.size());
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const simdjson::dom::key_value_pair field : fields) {
      names.push_back(field.key);
      object.emplace_back(std::string(field.key), JsonValue());
      if (!convert(field.value, object.back().second)) return fail_under(field.key);
    }
    if (const auto twice = find_double(names)) {
      error_ = invalid(*twice, "appears twice");
      return false;
    }
    return true;
  }

  // What is wrong with the text as a whole is not the fault of the place where it was noticed.
  bool fail_under(std::string_view parent) {
    if (!is_too_large_) error_ = error_.under(parent);
    return false;
  }

  Error error_;
  std::size_t branch_count_ = 0;
  bool is_too_large_ = false;
};

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
    JsonValue value;
    Converter converter;
    if (!converter.convert(root, value)) return converter.error();
    return value;
  } catch (const simdjson::simdjson_error& failure) {
    return invalid("", fmt::format("is not valid JSON: {}", failure.what()));
  }
}

}  // namespace petrel
