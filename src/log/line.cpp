#include "log/line.h"

namespace petrel::log {
namespace {

constexpr std::string_view kMore = "…";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

}  // namespace

std::string cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max > kMore.size() ? bytes_max - kMore.size() : 0;
  while (end > 0 && continues_character(text[end])) --end;
  return std::string(text.substr(0, end)) + std::string(kMore);
}

}  // namespace petrel::log
