// Report gathers named figures of repeated runs and prints their medians, as a table for people or
// as JSON with every single value.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace petrel::bench {

class Report {
 public:
  // One value of a figure in a row of the table. Rows and figures are shown as they first came.
  void add(const std::string& row, const std::string& figure, double value);

  std::string table() const;
  std::string json() const;

  // REQUIRES: there is at least one.
  double median(const std::string& row, const std::string& figure) const;

 private:
  std::vector<std::string> rows_;
  std::map<std::string, std::vector<std::string>> figures_;  // By row.
  std::map<std::pair<std::string, std::string>, std::vector<double>> values_;
};

}  // namespace petrel::bench
