#include "metric/registry.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::metric {
namespace {

// Backslash, quote and line break are all that the format wants escaped.
std::string escaped(std::string_view value) {
  std::string result;
  for (const char c : value) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string braces(const std::vector<std::string>& labels, const LabelValues& values) {
  if (labels.empty()) return {};
  std::string text = "{";
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("{}{}=\"{}\"", i == 0 ? "" : ",", labels[i], escaped(values[i]));
  }
  return text + "}";
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

bool Registry::is_taken(std::string_view name) const {
  const auto has_name = [&](const auto& named) { return named.name == name; };
  return std::any_of(counters_.begin(), counters_.end(), has_name) ||
         std::any_of(gauges_.begin(), gauges_.end(), has_name);
}

Counter& Registry::counter(std::string_view name, std::string_view help) {
  return counters(name, help, {}).with({});
}

Gauge& Registry::gauge(std::string_view name, std::string_view help) {
  return gauges(name, help, {}).with({});
}

CounterFamily& Registry::counters(std::string_view name, std::string_view help,
                                  std::vector<std::string> labels) {
  CHECK(is_metric_name(name) && name.ends_with("_total") && !is_taken(name));
  return counters_.emplace_back(name, help, std::move(labels)).family;
}

GaugeFamily& Registry::gauges(std::string_view name, std::string_view help,
                              std::vector<std::string> labels) {
  CHECK(is_metric_name(name) && !is_taken(name));
  return gauges_.emplace_back(name, help, std::move(labels)).family;
}

template <typename Metric>
void Registry::write(const Named<Metric>& named, std::string_view type, std::string& text) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", named.name,
                 named.help, type);
  named.family.each([&](const LabelValues& values, const Metric& member) {
    fmt::format_to(std::back_inserter(text), "{}{} {}\n", named.name,
                   braces(named.family.labels(), values), member.value());
  });
}

std::string Registry::text() const {
  std::string text;
  for (const auto& named : counters_) write(named, "counter", text);
  for (const auto& named : gauges_) write(named, "gauge", text);
  return text;
}

}  // namespace petrel::metric
