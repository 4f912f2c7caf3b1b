// Registry owns the metrics of the process and shows them in the text form that Prometheus reads.
//
//   # HELP petrel_messages_accepted_total Messages that were accepted and are on disk.
//   # TYPE petrel_messages_accepted_total counter
//   petrel_messages_accepted_total 42
//
// Every family is shown from the start. One that nothing was counted in has a member at zero if it
// has no labels, or if whoever made it has asked for its members.
//
// Metrics are made at start-up and stay as long as the registry.
//
// Thread: safe once everything is made.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metric/family.h"
#include "metric/table.h"

namespace petrel::metric {

class Registry {
 public:
  // REQUIRES: a name that is not taken, of letters, digits and underscores; a counter's ends in
  // "_total".
  Counter& counter(std::string_view name, std::string_view help);
  Gauge& gauge(std::string_view name, std::string_view help);
  CounterFamily& counters(std::string_view name, std::string_view help,
                          std::vector<std::string> labels);
  GaugeFamily& gauges(std::string_view name, std::string_view help,
                      std::vector<std::string> labels);

  // No label of a histogram may be called "le".
  Histogram& histogram(std::string_view name, std::string_view help, const Buckets& buckets);
  HistogramFamily& histograms(std::string_view name, std::string_view help,
                              std::vector<std::string> labels, const Buckets& buckets);

  // What a table's numbers are for those who read them. A total only ever grows.
  enum class TableKind : std::uint8_t { Gauge, Total };

  // REQUIRES: as above; a total's name ends in "_total".
  Table& table(std::string_view name, std::string_view help, std::vector<std::string> labels,
               TableKind kind = TableKind::Gauge);

  // Counters, gauges, histograms and tables, each in the order of their making, in the text format
  // 0.0.4.
  std::string text() const;

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  template <typename Members>
  struct Named {
    template <typename... Parts>
    Named(std::string_view the_name, std::string_view the_help, Parts&&... parts)
        : name(the_name), help(the_help), family(std::forward<Parts>(parts)...) {}

    std::string name;
    std::string help;
    Members family;
    TableKind kind = TableKind::Gauge;  // Of a table.
  };

  template <typename Members>
  static void write(const Named<Members>& named, std::string_view type, std::string& text);

  void check_name(std::string_view name, bool is_total) const;
  bool is_taken(std::string_view name) const;

  // Deques: what they hold never moves.
  std::deque<Named<CounterFamily>> counters_;
  std::deque<Named<GaugeFamily>> gauges_;
  std::deque<Named<HistogramFamily>> histograms_;
  std::deque<Named<Table>> tables_;
};

}  // namespace petrel::metric
