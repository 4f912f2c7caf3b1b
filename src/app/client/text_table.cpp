#include "app/client/text_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/terminal.h"
#include "base/check.h"

namespace petrel::app {

TextTable::TextTable(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    is_number_.push_back(heading.ends_with('>'));
    if (is_number_.back()) heading.pop_back();
  }
  rows_.push_back(std::move(headings));
}

void TextTable::add(std::vector<std::string> cells) {
  CHECK(cells.size() == is_number_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(bool shows_colours) const {
  std::vector<std::size_t> widths(is_number_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (is_number_[i] ? pad + row[i] : row[i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += &row == &rows_.front() ? coloured(line, Colour::Bold, shows_colours) : line;
    text += '\n';
  }
  return text;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  }));
}

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace petrel::app
