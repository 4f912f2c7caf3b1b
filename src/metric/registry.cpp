#include "metric/registry.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>

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

std::string pairs(const std::vector<std::string>& labels, const LabelValues& values) {
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("{}{}=\"{}\"", i == 0 ? "" : ",", labels[i], escaped(values[i]));
  }
  return text;
}

std::string in_braces(const std::string& pairs) { return pairs.empty() ? "" : '{' + pairs + '}'; }

// Which member of which family.
struct Place {
  const std::string& name;
  const std::vector<std::string>& labels;
  const LabelValues& values;
};

template <typename Number>
void write_number(const Place& place, Number number, std::string& text) {
  fmt::format_to(std::back_inserter(text), "{}{} {}\n", place.name,
                 in_braces(pairs(place.labels, place.values)), number);
}

void write_member(const Place& place, const Counter& counter, std::string& text) {
  write_number(place, counter.value(), text);
}

void write_member(const Place& place, const Gauge& gauge, std::string& text) {
  write_number(place, gauge.value(), text);
}

void write_member(const Place& place, double number, std::string& text) {
  write_number(place, number, text);
}

// A bucket's number includes those of all before it.
void write_member(const Place& place, const Histogram& histogram, std::string& text) {
  const std::string labels = pairs(place.labels, place.values);
  const std::string before_le = labels.empty() ? "" : labels + ',';
  const std::vector<std::uint64_t> counts = histogram.counts();
  const auto out = std::back_inserter(text);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    fmt::format_to(out, "{}_bucket{{{}le=\"{}\"}} {}\n", place.name, before_le,
                   i < histogram.bounds().size() ? histogram.bounds()[i] : "+Inf", seen);
  }
  fmt::format_to(out, "{0}_sum{1} {2}\n{0}_count{1} {3}\n", place.name, in_braces(labels),
                 histogram.sum(), seen);
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

bool Registry::is_taken(std::string_view name) const {
  const auto has_name = [&](const auto& named) { return named.name == name; };
  const auto is_in = [&](const auto& all) { return std::any_of(all.begin(), all.end(), has_name); };
  return is_in(counters_) || is_in(gauges_) || is_in(histograms_) || is_in(tables_);
}

void Registry::check_name(std::string_view name, bool is_total) const {
  CHECK(is_metric_name(name) && !is_taken(name));
  CHECK(name.ends_with("_total") == is_total);
}

Counter& Registry::counter(std::string_view name, std::string_view help) {
  return counters(name, help, {}).with({});
}

Gauge& Registry::gauge(std::string_view name, std::string_view help) {
  return gauges(name, help, {}).with({});
}

Histogram& Registry::histogram(std::string_view name, std::string_view help,
                               const Buckets& buckets) {
  return histograms(name, help, {}, buckets).with({});
}

CounterFamily& Registry::counters(std::string_view name, std::string_view help,
                                  std::vector<std::string> labels) {
  check_name(name, true);
  return counters_.emplace_back(name, help, std::move(labels)).family;
}

GaugeFamily& Registry::gauges(std::string_view name, std::string_view help,
                              std::vector<std::string> labels) {
  check_name(name, false);
  return gauges_.emplace_back(name, help, std::move(labels)).family;
}

HistogramFamily& Registry::histograms(std::string_view name, std::string_view help,
                                      std::vector<std::string> labels, const Buckets& buckets) {
  check_name(name, false);
  CHECK(std::find(labels.begin(), labels.end(), "le") == labels.end());
  const auto make = [buckets] { return std::make_unique<Histogram>(buckets); };
  return histograms_.emplace_back(name, help, std::move(labels), make).family;
}

Table& Registry::table(std::string_view name, std::string_view help,
                       std::vector<std::string> labels, TableKind kind) {
  check_name(name, kind == TableKind::Total);
  const bool has_labels = !labels.empty();
  auto& named = tables_.emplace_back(name, help, std::move(labels));
  named.kind = kind;
  if (!has_labels) named.family.set(0);
  return named.family;
}

template <typename Members>
void Registry::write(const Named<Members>& named, std::string_view type, std::string& text) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", named.name,
                 named.help, type);
  named.family.each([&](const LabelValues& values, const auto& member) {
    write_member({named.name, named.family.labels(), values}, member, text);
  });
}

std::string Registry::text() const {
  std::string text;
  for (const auto& named : counters_) write(named, "counter", text);
  for (const auto& named : gauges_) write(named, "gauge", text);
  for (const auto& named : histograms_) write(named, "histogram", text);
  for (const auto& named : tables_) {
    write(named, named.kind == TableKind::Total ? "counter" : "gauge", text);
  }
  return text;
}

}  // namespace petrel::metric
