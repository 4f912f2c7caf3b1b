#include "schema/schema.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "schema/keywords.h"
#include "schema/reference.h"
#include "schema/validation.h"

namespace petrel::schema {
namespace {

constexpr std::size_t kStepsOfNode = 10;
constexpr std::size_t kStepsOfState = 10;  // Of a pattern, and of each byte of its text.

Error too_long() { return invalid("", "takes too long to make ready: make the schema smaller"); }

// Goes once to every schema within a schema, also where only a reference leads, and makes patterns
// and references ready.
class Collector {
 public:
  Collector(Schema::Compiled& compiled, Steps& steps) : compiled_(compiled), steps_(steps) {}

  Status collect() {
    TRY(visit(compiled_.root));
    // References are followed one after the other: each may lead to another, without end.
    while (!open_.empty()) {
      const Open next = open_.back();
      open_.pop_back();
      const Status status = visit_target(next);
      if (!status.ok()) return status.error().under(next.reference);
    }
    return Done{};
  }

 private:
  struct Open {
    std::string_view reference;
    const JsonValue* target;
  };

  // REQUIRES: check_shape(node).
  Status visit(const JsonValue& node) {
    if (node.as_object() == nullptr || !visited_.insert(&node).second) return Done{};
    if (!steps_.take(kStepsOfNode * (1 + node.as_object()->size()))) return too_long();
    for (const auto& [name, value] : *node.as_object()) {
      const Keyword* keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      TRY(under(name, visit_keyword(*keyword, value)));
    }
    return Done{};
  }

  Status visit_keyword(const Keyword& keyword, const JsonValue& value) {
    if (keyword.name == "$ref") return note_reference(value);
    if (keyword.name == "pattern") return add(*value.as_string());
    switch (keyword.content) {
      case Content::One:
      case Content::OneOrList:
      case Content::List:
      case Content::Named:
      case Content::Dependencies:
        break;
      default:
        return Done{};
    }
    const bool are_patterns = keyword.name == "patternProperties";
    if (const JsonValue::Array* list = value.as_array()) return visit_list(*list);
    const bool is_one = keyword.content == Content::One || keyword.content == Content::OneOrList;
    if (is_one) return visit(value);
    for (const auto& [name, schema] : *value.as_object()) {
      Status status = are_patterns ? add(name) : Status(Done{});
      if (status.ok() && schema.as_array() == nullptr) status = visit(schema);
      if (!status.ok()) return status.error().under(name);
    }
    return Done{};
  }

  Status visit_list(const JsonValue::Array& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Status status = visit(list[i]);
      if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
    }
    return Done{};
  }

  Status note_reference(const JsonValue& value) {
    const std::string& reference = *value.as_string();
    const JsonValue* target = follow(compiled_.root, reference, steps_);
    if (steps_.is_spent()) return too_long();
    if (target == nullptr || (target->as_object() == nullptr && target->as_bool() == nullptr)) {
      return leads_nowhere(reference);
    }
    compiled_.targets.emplace(&value, target);
    open_.push_back({reference, target});
    return Done{};
  }

  // What stands where no schema does has not been looked at before.
  Status visit_target(const Open& open) {
    if (open.target->as_object() == nullptr || visited_.contains(open.target)) return Done{};
    const Status status = check_shape(*open.target, steps_);
    if (steps_.is_spent()) return too_long();
    if (!status.ok()) return leads_nowhere(open.reference);
    return visit(*open.target);
  }

  static Error leads_nowhere(std::string_view reference) {
    return invalid("", fmt::format("{} leads to no schema within this one, and nothing else is "
                                   "looked at",
                                   in_quotes(reference)));
  }

  Status add(const std::string& text) {
    if (compiled_.patterns.contains(text)) return Done{};
    if (!steps_.take(kStepsOfState * text.size())) return too_long();
    ASSIGN_OR_RETURN(Pattern pattern, Pattern::compile(text));
    if (!steps_.take(kStepsOfState * pattern.size())) return too_long();
    compiled_.patterns.emplace(text, std::move(pattern));
    return Done{};
  }

  Schema::Compiled& compiled_;
  Steps& steps_;
  std::unordered_set<const JsonValue*> visited_;
  std::vector<Open> open_;
};

}  // namespace

Result<Schema> Schema::compile(JsonValue json) {
  Steps steps(kStepsMax);
  const Status shape = check_shape(json, steps);
  if (steps.is_spent()) return too_long();
  if (!shape.ok()) return shape.error();
  const auto compiled = std::make_shared<Compiled>();
  compiled->root = std::move(json);
  TRY(Collector(*compiled, steps).collect());
  compiled->steps = kStepsMax - steps.left();
  return Schema(compiled);
}

Status Schema::check(const JsonValue& value) const {
  return Validation(*compiled_).check(compiled_->root, value);
}

}  // namespace petrel::schema
