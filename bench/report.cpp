#include "report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace petrel::bench {
namespace {

constexpr std::size_t kNameColumns = 26;
constexpr std::size_t kFigureColumns = 8;

std::size_t width_of(const std::string& figure) {
  return std::max(figure.size(), kFigureColumns) + 1;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string number_text(double value) {
  if (value >= 100 || value == static_cast<double>(static_cast<long long>(value))) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{:.2f}", value);
}

}  // namespace

void Report::add(const std::string& row, const std::string& figure, double value) {
  add_once(rows_, row);
  add_once(figures_[row], figure);
  values_[{row, figure}].push_back(value);
}

double Report::median(const std::string& row, const std::string& figure) const {
  std::vector<double> values = values_.at({row, figure});
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

std::string Report::table() const {
  std::string text;
  const std::vector<std::string>* heading = nullptr;
  for (const std::string& row : rows_) {
    const std::vector<std::string>& figures = figures_.at(row);
    if (heading == nullptr || *heading != figures) {
      text += fmt::format("\n{:<{}}", "", kNameColumns);
      for (const std::string& figure : figures) {
        text += fmt::format("{:>{}}", figure, width_of(figure));
      }
      text += '\n';
      heading = &figures;
    }
    text += fmt::format("{:<{}}", row, kNameColumns);
    for (const std::string& figure : figures) {
      text += fmt::format("{:>{}}", number_text(median(row, figure)), width_of(figure));
    }
    text += '\n';
  }
  return text;
}

std::string Report::json() const {
  std::vector<std::string> rows;
  for (const std::string& row : rows_) {
    std::vector<std::string> figures;
    for (const std::string& figure : figures_.at(row)) {
      figures.push_back(fmt::format(R"("{}": {{"median": {}, "runs": [{}]}})", figure,
                                    median(row, figure),
                                    fmt::join(values_.at({row, figure}), ", ")));
    }
    rows.push_back(fmt::format("  \"{}\": {{{}}}", row, fmt::join(figures, ", ")));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(rows, ",\n"));
}

}  // namespace petrel::bench
