// Pattern is a regular expression in the words of ECMAScript that takes a bounded time to match.
//
// It is run without backtracking, over texts of at most kTextBytesMax bytes, and an expression that
// would grow beyond kStatesMax states is refused, as are those that cannot be run this way: with
// back references, and with conditions on what follows.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel::schema {

class Pattern {
 public:
  static constexpr std::size_t kStatesMax = 1000;  // By the length and the counts in braces.
  static constexpr std::size_t kTextBytesMax = 4096;

  static Result<Pattern> compile(std::string_view text);

  // Anywhere in the text, unless the expression is tied to an end of it.
  //
  // REQUIRES: no more than kTextBytesMax bytes.
  bool matches(std::string_view text) const;

 private:
  explicit Pattern(std::regex regex) : regex_(std::move(regex)) {}

  std::regex regex_;
};

}  // namespace petrel::schema
