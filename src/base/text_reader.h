// TextReader walks a short text from left to right: the common ground of the parsers of fixed
// forms (RFC 3339, HTTP-date). Each step either takes what it asks for or fails for good, so that a
// parser reads as the grammar does and looks at ok() once.
//
// Thread: confined. Borrows the text.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace petrel {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  // Exactly `width` digits. 0 after a failure.
  int digits(std::size_t width);

  void expect(std::string_view text);

  // Takes `text` if it is next. Not a failure if it is not.
  bool accept(std::string_view text);

  // The index of the name that is next, in exactly this spelling. A failure if none is.
  std::size_t one_of(std::span<const std::string_view> names);

  void fail() { ok_ = false; }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

  // Whether everything was taken and nothing failed.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  bool ok_ = true;
  std::string_view rest_;
};

}  // namespace petrel
