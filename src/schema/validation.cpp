#include "schema/validation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "schema/compare.h"

namespace petrel::schema {
namespace {

constexpr std::string_view kTooLong = "takes too long to check against its schema";
constexpr std::string_view kNotReady = "meets a reference of its schema that leads nowhere";
constexpr std::size_t kWantedMax = 100;  // All types together are shorter.

bool is_of_type(const JsonValue& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.as_bool() != nullptr;
  if (type == "string") return value.as_string() != nullptr;
  if (type == "array") return value.as_array() != nullptr;
  if (type == "object") return value.as_object() != nullptr;
  if (type == "number") return value.as_number().has_value();
  // An integer is a number without a fraction, however it is written.
  return value.as_number() && std::floor(*value.as_number()) == *value.as_number();
}

Status check_type(const JsonValue& types, const JsonValue& value) {
  std::string wanted;
  const auto fits = [&](const JsonValue& type) {
    if (wanted.size() < kWantedMax) {
      wanted += (wanted.empty() ? "" : " or ") + *type.as_string();
    }
    return is_of_type(value, *type.as_string());
  };
  const JsonValue::Array* list = types.as_array();
  const bool is_one = list == nullptr ? fits(types) : std::any_of(list->begin(), list->end(), fits);
  if (is_one) return Done{};
  return invalid("", fmt::format("must be of type {}, not {}", wanted, value.kind_name()));
}

// Code points, not bytes.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

Status Validation::check(const JsonValue& schema, const JsonValue& value) {
  // Nothing that is asked once it went too deep may pass for an answer.
  if (depth_ >= kDepthMax) steps_.spend_all();
  if (!steps_.take(1)) return invalid("", kTooLong);
  if (schema.as_bool() != nullptr) {
    return *schema.as_bool() ? Status(Done{}) : invalid("", "is not allowed");
  }
  ++depth_;
  Status status = check_keywords(schema, value);
  --depth_;
  if (steps_.is_spent()) return invalid("", kTooLong);
  return status;
}

Status Validation::check_keywords(const JsonValue& schema, const JsonValue& value) {
  // What stands beside a reference does not count.
  if (const JsonValue* reference = find(schema, "$ref")) {
    const auto target = schema_.targets.find(reference);
    if (target == schema_.targets.end()) return invalid("", kNotReady);
    return check(*target->second, value);
  }
  Status status = check_value(schema, value);
  if (status.ok()) status = check_number(schema, value);
  if (status.ok()) status = check_text(schema, value);
  if (status.ok()) status = check_list(schema, value);
  if (status.ok()) status = check_object(schema, value);
  if (status.ok()) status = check_joined(schema, value);
  if (status.ok()) status = check_condition(schema, value);
  return status;
}

Status Validation::check_value(const JsonValue& schema, const JsonValue& value) {
  if (const JsonValue* types = find(schema, "type")) {
    if (types->as_array() != nullptr) steps_.take(2 * types->as_array()->size());
    TRY(check_type(*types, value));
  }
  const JsonValue* constant = find(schema, "const");
  if (constant != nullptr && !is_equal(*constant, value, steps_)) {
    return invalid("", "is not the value that the schema wants");
  }
  const JsonValue* values = find(schema, "enum");
  if (values == nullptr) return Done{};
  const bool is_one =
      std::any_of(values->as_array()->begin(), values->as_array()->end(),
                  [&](const JsonValue& each) { return is_equal(each, value, steps_); });
  return is_one ? Status(Done{}) : invalid("", "is none of the values that the schema allows");
}

Status Validation::check_number(const JsonValue& schema, const JsonValue& value) {
  const std::optional<double> number = value.as_number();
  if (!number) return Done{};
  const auto limit = [&](std::string_view name) {
    const JsonValue* found = find(schema, name);
    return found == nullptr ? std::nullopt : found->as_number();
  };
  if (const auto most = limit("maximum"); most && *number > *most) {
    return invalid("", fmt::format("must not be more than {}", *most));
  }
  if (const auto least = limit("minimum"); least && *number < *least) {
    return invalid("", fmt::format("must not be less than {}", *least));
  }
  if (const auto most = limit("exclusiveMaximum"); most && *number >= *most) {
    return invalid("", fmt::format("must be less than {}", *most));
  }
  if (const auto least = limit("exclusiveMinimum"); least && *number <= *least) {
    return invalid("", fmt::format("must be more than {}", *least));
  }
  if (const auto unit = limit("multipleOf")) {
    // 19.99 is a multiple of 0.01 although no double is.
    const double times = *number / *unit;
    if (!std::isfinite(times) || std::abs(times - std::round(times)) > 1e-9 * std::abs(times)) {
      return invalid("", fmt::format("must be a multiple of {}", *unit));
    }
  }
  return Done{};
}

Status Validation::check_text(const JsonValue& schema, const JsonValue& value) {
  const std::string* text = value.as_string();
  if (text == nullptr) return Done{};
  const JsonValue* most = find(schema, "maxLength");
  const JsonValue* least = find(schema, "minLength");
  const bool is_measured = most != nullptr || least != nullptr;
  if (is_measured && !steps_.take(text->size() / kBytesAStep)) return invalid("", kTooLong);
  const auto length = static_cast<std::int64_t>(is_measured ? length_of(*text) : 0);
  if (most != nullptr && length > *most->as_integer()) {
    return invalid("", fmt::format("must not have more than {} characters", *most->as_integer()));
  }
  if (least != nullptr && length < *least->as_integer()) {
    return invalid("", fmt::format("must have at least {} characters", *least->as_integer()));
  }
  const JsonValue* pattern = find(schema, "pattern");
  if (pattern == nullptr || matches(*pattern->as_string(), *text)) return Done{};
  return invalid("", fmt::format("does not match {}", in_quotes(*pattern->as_string())));
}

bool Validation::matches(const std::string& pattern, std::string_view text) {
  const auto found = schema_.patterns.find(pattern);
  return found != schema_.patterns.end() && found->second.matches(text, steps_);
}

bool Validation::fits(const JsonValue& schema, const JsonValue& value) {
  return check(schema, value).ok();
}

std::size_t Validation::count_fitting(const JsonValue::Array& schemas, const JsonValue& value) {
  return static_cast<std::size_t>(
      std::count_if(schemas.begin(), schemas.end(),
                    [&](const JsonValue& schema) { return fits(schema, value); }));
}

Status Validation::check_joined(const JsonValue& schema, const JsonValue& value) {
  if (const JsonValue* all = find(schema, "allOf")) {
    for (const JsonValue& each : *all->as_array()) {
      TRY(check(each, value));
    }
  }
  const JsonValue* any = find(schema, "anyOf");
  if (any != nullptr && count_fitting(*any->as_array(), value) == 0) {
    return invalid("", "fits none of the schemas of anyOf");
  }
  if (const JsonValue* one = find(schema, "oneOf")) {
    const std::size_t count = count_fitting(*one->as_array(), value);
    if (count != 1) {
      return invalid("", fmt::format("fits {} of the schemas of oneOf, not one", count));
    }
  }
  const JsonValue* none = find(schema, "not");
  if (none != nullptr && fits(*none, value)) return invalid("", "fits a schema that it must not");
  return Done{};
}

Status Validation::check_condition(const JsonValue& schema, const JsonValue& value) {
  const JsonValue* condition = find(schema, "if");
  if (condition == nullptr) return Done{};
  const JsonValue* then = find(schema, fits(*condition, value) ? "then" : "else");
  return then == nullptr ? Status(Done{}) : check(*then, value);
}

}  // namespace petrel::schema
