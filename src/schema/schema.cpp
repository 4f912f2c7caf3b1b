#include "schema/schema.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "schema/keywords.h"
#include "schema/reference.h"
#include "schema/walk.h"

namespace petrel::schema {
namespace {

// Goes once to every schema within a schema, also where only a reference leads, and makes the
// patterns ready.
class Collector {
 public:
  explicit Collector(const JsonValue& root) : root_(root) {}

  // REQUIRES: check_shape(node).
  Status visit(const JsonValue& node) {
    if (node.as_object() == nullptr || !visited_.insert(&node).second) return Done{};
    for (const auto& [name, value] : *node.as_object()) {
      const auto keyword =
          std::find_if(kKeywords.begin(), kKeywords.end(),
                       [&, &named = name](const Keyword& each) { return each.name == named; });
      if (keyword == kKeywords.end()) continue;
      const Status status = visit_keyword(*keyword, value);
      if (!status.ok()) return status.error().under(name);
    }
    return Done{};
  }

  Walk::Patterns take() { return std::move(patterns_); }

 private:
  Status visit_keyword(const Keyword& keyword, const JsonValue& value) {
    if (keyword.name == "$ref") return visit_reference(*value.as_string());
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

  Status visit_reference(const std::string& reference) {
    const JsonValue* target = follow(root_, reference);
    if (target == nullptr || !check_shape(*target).ok()) {
      return invalid("", fmt::format("{} leads to no schema within this one, and nothing else is "
                                     "looked at",
                                     in_quotes(reference)));
    }
    return visit(*target);
  }

  Status add(const std::string& text) {
    if (patterns_.contains(text)) return Done{};
    Result<Pattern> pattern = Pattern::compile(text);
    if (!pattern.ok()) return pattern.error();
    patterns_.emplace(text, *std::move(pattern));
    return Done{};
  }

  const JsonValue& root_;
  std::set<const JsonValue*> visited_;
  Walk::Patterns patterns_;
};

}  // namespace

Result<Schema> Schema::compile(JsonValue json) {
  if (const Status status = check_shape(json); !status.ok()) return status.error();
  Schema schema;
  schema.root_ = std::make_shared<const JsonValue>(std::move(json));
  Collector collector(*schema.root_);
  if (const Status status = collector.visit(*schema.root_); !status.ok()) return status.error();
  schema.patterns_ = collector.take();
  return schema;
}

Status Schema::check(const JsonValue& value) const {
  return Walk(*root_, patterns_).check(*root_, value);
}

}  // namespace petrel::schema
