// Table is a metric whose values are found out elsewhere, all at once, and replaced as a whole:
// members come and go with them. So it fits what would have a member for each of many things, of
// which the most notable are shown, and numbers that the system keeps.
//
//   Table depth({"endpoint"});
//   depth.replace({{{"ep_2gV…"}, 41}, {{"rest"}, 3}});
//
// At most kMembersMax are kept; what is beyond is left out.
//
// Thread: safe.

#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "metric/family.h"

namespace petrel::metric {

class Table {
 public:
  struct Row {
    LabelValues values;
    double value = 0;
  };

  explicit Table(std::vector<std::string> labels) : labels_(std::move(labels)) {}

  // REQUIRES: a value for each label, in their order, and no two rows with the same ones.
  void replace(std::vector<Row> rows) {
    for (const Row& row : rows) CHECK(row.values.size() == labels_.size());
    if (rows.size() > kMembersMax) rows.resize(kMembersMax);
    const std::lock_guard lock(mutex_);
    rows_.swap(rows);
  }

  // Of a metric without labels.
  void set(double value) { replace({{{}, value}}); }

  const std::vector<std::string>& labels() const { return labels_; }

  // In their order. `look` must not come back to the table.
  template <typename Look>
  void each(Look look) const {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows_) look(row.values, row.value);
  }

 private:
  const std::vector<std::string> labels_;
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
};

}  // namespace petrel::metric
