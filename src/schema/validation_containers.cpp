#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "schema/compare.h"
#include "schema/validation.h"

namespace petrel::schema {

Status Validation::check_count(const JsonValue& schema, std::size_t count,
                               const CountNames& names) {
  const JsonValue* most = find(schema, names.most);
  if (most != nullptr && count > static_cast<std::size_t>(*most->as_integer())) {
    return invalid("",
                   fmt::format("must not have more than {} {}", *most->as_integer(), names.noun));
  }
  const JsonValue* least = find(schema, names.least);
  if (least != nullptr && count < static_cast<std::size_t>(*least->as_integer())) {
    return invalid("", fmt::format("must have at least {} {}", *least->as_integer(), names.noun));
  }
  return Done{};
}

Status Validation::check_present(const JsonValue& names, const JsonValue& value) {
  for (const JsonValue& name : *names.as_array()) {
    if (find(value, *name.as_string()) == nullptr) {
      return invalid(*name.as_string(), "is missing");
    }
  }
  return Done{};
}

Status Validation::check_list(const JsonValue& schema, const JsonValue& value) {
  const JsonValue::Array* items = value.as_array();
  if (items == nullptr) return Done{};
  Status status = check_count(schema, items->size(), {"maxItems", "minItems", "items"});
  if (status.ok()) status = check_items(schema, *items);
  if (status.ok()) status = check_unique(schema, *items);
  const JsonValue* wanted = find(schema, "contains");
  if (!status.ok() || wanted == nullptr) return status;
  const bool has_one = std::any_of(items->begin(), items->end(),
                                   [&](const JsonValue& item) { return fits(*wanted, item); });
  return has_one ? status : Status(invalid("", "has no item that fits the schema of contains"));
}

Status Validation::check_items(const JsonValue& schema, const JsonValue::Array& items) {
  const JsonValue* rule = find(schema, "items");
  if (rule == nullptr) return Done{};
  // A list has a schema for each of the first items, and another for those behind them.
  const JsonValue::Array* rules = rule->as_array();
  const JsonValue* rest = rules == nullptr ? rule : find(schema, "additionalItems");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const JsonValue* each = rules != nullptr && i < rules->size() ? &(*rules)[i] : rest;
    if (each == nullptr) break;
    const Status status = check(*each, items[i]);
    if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
  }
  return Done{};
}

Status Validation::check_unique(const JsonValue& schema, const JsonValue::Array& items) {
  const JsonValue* rule = find(schema, "uniqueItems");
  if (rule == nullptr || !*rule->as_bool()) return Done{};
  for (std::size_t i = 0; i < items.size() && !steps_.is_spent(); ++i) {
    for (std::size_t j = 0; j < i && !steps_.is_spent(); ++j) {
      if (is_equal(items[i], items[j], steps_)) {
        return invalid(fmt::format("[{}]", i), fmt::format("is the same as [{}]", j));
      }
    }
  }
  return Done{};
}

Status Validation::check_object(const JsonValue& schema, const JsonValue& value) {
  if (value.as_object() == nullptr) return Done{};
  Status status =
      check_count(schema, value.as_object()->size(), {"maxProperties", "minProperties", "fields"});
  if (const JsonValue* names = find(schema, "required"); names != nullptr && status.ok()) {
    status = check_present(*names, value);
  }
  if (status.ok()) status = check_properties(schema, value);
  if (status.ok()) status = check_dependencies(schema, value);
  return status;
}

Status Validation::check_properties(const JsonValue& schema, const JsonValue& value) {
  const JsonValue* names = find(schema, "propertyNames");
  for (const auto& [name, content] : *value.as_object()) {
    // A name is copied to be checked as a value, and compared with each that it may be.
    if (!steps_.take(1 + name.size() / kBytesAStep)) break;
    if (names != nullptr && !fits(*names, JsonValue(JsonValue::Value(name)))) {
      return invalid(name, "is not a name that the schema allows");
    }
    TRY(under(name, check_property(schema, name, content)));
  }
  return Done{};
}

Status Validation::check_property(const JsonValue& schema, const std::string& name,
                                  const JsonValue& value) {
  bool is_described = false;
  const JsonValue* properties = find(schema, "properties");
  if (properties != nullptr) {
    if (const JsonValue* rule = find(*properties, name)) {
      is_described = true;
      TRY(check(*rule, value));
    }
  }
  if (const JsonValue* patterns = find(schema, "patternProperties")) {
    for (const auto& [pattern, rule] : *patterns->as_object()) {
      if (!matches(pattern, name)) continue;
      is_described = true;
      TRY(check(rule, value));
    }
  }
  const JsonValue* others = find(schema, "additionalProperties");
  return is_described || others == nullptr ? Status(Done{}) : check(*others, value);
}

Status Validation::check_dependencies(const JsonValue& schema, const JsonValue& value) {
  const JsonValue* dependencies = find(schema, "dependencies");
  if (dependencies == nullptr) return Done{};
  for (const auto& [name, rule] : *dependencies->as_object()) {
    if (find(value, name) == nullptr) continue;
    TRY(rule.as_array() != nullptr ? check_present(rule, value) : check(rule, value));
  }
  return Done{};
}

}  // namespace petrel::schema
