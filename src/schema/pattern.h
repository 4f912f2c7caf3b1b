// Pattern is a regular expression in the words of ECMAScript that takes a bounded time to match.
//
//   Result<Pattern> pattern = Pattern::compile("^[a-z]{2,8}-\\d+$");
//   Steps steps(1'000'000);
//   pattern->matches("order-17", steps)     → true, and steps has fewer left
//
// It follows all ways through the expression at once, character by character, so nothing is tried
// twice: a match takes at most as many steps as the expression has states, for each character. A
// plain expression is in one or two states at a time and takes one or two steps.
//
// Expressions that cannot be matched like this are refused: with back references, and with
// conditions on what stands before or behind. Characters are code points; `^` and `$` are the ends
// of the text.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "schema/pattern_program.h"
#include "schema/steps.h"

namespace petrel::schema {

class Pattern {
 public:
  static Result<Pattern> compile(std::string_view text);

  // Anywhere in the text, unless the expression is tied to an end of it. Once the steps are used up
  // it says false.
  bool matches(std::string_view text, Steps& steps) const;

  // How many states it has.
  std::size_t size() const { return program_->instructions.size(); }

 private:
  explicit Pattern(std::shared_ptr<const PatternProgram> program) : program_(std::move(program)) {}

  std::shared_ptr<const PatternProgram> program_;  // Shared by copies of the pattern.
};

}  // namespace petrel::schema
