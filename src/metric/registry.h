// Registry owns the metrics of the process and shows them in the text form that Prometheus reads.
//
//   # HELP petrel_messages_accepted_total Messages that were accepted and are on disk.
//   # TYPE petrel_messages_accepted_total counter
//   petrel_messages_accepted_total 42
//
// Metrics are made at start-up and stay as long as the registry.
//
// Thread: safe once everything is made.

#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "metric/family.h"

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

  // Counters, then gauges, each in the order of their making, in the text format 0.0.4.
  std::string text() const;

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  template <typename Metric>
  struct Named {
    Named(std::string_view the_name, std::string_view the_help, std::vector<std::string> labels)
        : name(the_name), help(the_help), family(std::move(labels)) {}

    std::string name;
    std::string help;
    Family<Metric> family;
  };

  template <typename Metric>
  static void write(const Named<Metric>& named, std::string_view type, std::string& text);

  bool is_taken(std::string_view name) const;

  // Deques: what they hold never moves.
  std::deque<Named<Counter>> counters_;
  std::deque<Named<Gauge>> gauges_;
};

}  // namespace petrel::metric
