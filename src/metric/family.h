// Family is one metric with labels: a member for each combination of their values.
//
//   CounterFamily attempts({"outcome"});
//   attempts.with({"dns"}).add();
//
// Members are made when they are first asked for and stay for good, so a reference to one may be
// kept; the hot path does, and looks nothing up. There are at most kMembersMax: beyond that, every
// new combination is counted together under the value "other", since label values may come from
// outside and a scrape must stay readable.
//
// Thread: safe.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "metric/counter.h"
#include "metric/histogram.h"

namespace petrel::metric {

using LabelValues = std::vector<std::string>;

inline constexpr std::size_t kMembersMax = 1000;

template <typename Metric>
class Family {
 public:
  using Make = std::function<std::unique_ptr<Metric>()>;

  // `make` makes a member, where there is more to it than its type.
  explicit Family(std::vector<std::string> labels, Make make = std::make_unique<Metric>)
      : labels_(std::move(labels)), make_(std::move(make)) {}

  // REQUIRES: a value for each label, in their order.
  Metric& with(const LabelValues& values) {
    CHECK(values.size() == labels_.size());
    const std::lock_guard lock(mutex_);
    auto found = members_.find(values);
    if (found == members_.end()) {
      const bool is_full = members_.size() >= kMembersMax;
      const LabelValues key = is_full ? LabelValues(labels_.size(), "other") : values;
      found = members_.try_emplace(key, nullptr).first;
      if (found->second == nullptr) found->second = make_();
    }
    return *found->second;
  }

  const std::vector<std::string>& labels() const { return labels_; }

  // In the order of the values. `look` must not come back to the family.
  template <typename Look>
  void each(Look look) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [values, member] : members_) look(values, *member);
  }

 private:
  const std::vector<std::string> labels_;
  const Make make_;
  mutable std::mutex mutex_;
  std::map<LabelValues, std::unique_ptr<Metric>> members_;
};

using CounterFamily = Family<Counter>;
using GaugeFamily = Family<Gauge>;
using HistogramFamily = Family<Histogram>;

}  // namespace petrel::metric
