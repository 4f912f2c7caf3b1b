#include "base/text_reader.h"

#include "base/text.h"

namespace petrel {

int TextReader::digits(std::size_t width) {
  int number = 0;
  if (rest_.size() < width) ok_ = false;
  for (std::size_t i = 0; ok_ && i < width; ++i) {
    if (!is_digit(rest_[i])) ok_ = false;
    number = number * 10 + (rest_[i] - '0');
  }
  if (!ok_) return 0;
  rest_.remove_prefix(width);
  return number;
}

void TextReader::expect(std::string_view text) {
  if (!accept(text)) ok_ = false;
}

bool TextReader::accept(std::string_view text) {
  if (!ok_ || rest_.substr(0, text.size()) != text) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::size_t TextReader::one_of(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (accept(names[i])) return i;
  }
  ok_ = false;
  return 0;
}

}  // namespace petrel
