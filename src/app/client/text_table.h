// TextTable lines up columns for a terminal or a pipe.
//
//   endpoint   waiting
//   billing      1,204
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace petrel::app {

class TextTable {
 public:
  // A heading that ends in '>' is that of a column of numbers.
  explicit TextTable(std::vector<std::string> headings);

  // REQUIRES: as many cells as there are headings.
  void add(std::vector<std::string> cells);

  bool empty() const { return rows_.size() == 1; }
  std::string text(bool shows_colours) const;

 private:
  std::vector<bool> is_number_;
  std::vector<std::vector<std::string>> rows_;  // The headings first.
};

// How many columns of a terminal it takes, for text without control characters.
std::size_t width_of(const std::string& text);

// "1,204"
std::string grouped(std::int64_t number);

}  // namespace petrel::app
