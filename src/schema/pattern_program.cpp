#include "schema/pattern_program.h"

#include <algorithm>
#include <iterator>

namespace petrel::schema {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

void CharacterSet::add(char32_t first, char32_t last) {
  for (char32_t c = first; c <= last && c < plain_.size(); ++c) plain_[c] = true;
  const char32_t beyond = std::max<char32_t>(first, static_cast<char32_t>(plain_.size()));
  if (beyond <= last) rest_.emplace_back(beyond, last);
}

void CharacterSet::add(const CharacterSet& other) {
  plain_ |= other.plain_;
  rest_.insert(rest_.end(), other.rest_.begin(), other.rest_.end());
}

void CharacterSet::settle() {
  std::sort(rest_.begin(), rest_.end());
  std::vector<std::pair<char32_t, char32_t>> merged;
  for (const auto& range : rest_) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  rest_ = std::move(merged);
}

CharacterSet CharacterSet::inverse() const {
  CharacterSet result;
  result.plain_ = ~plain_;
  auto next = static_cast<char32_t>(plain_.size());
  for (const auto& [first, last] : rest_) {
    if (first > next) result.rest_.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kLast) result.rest_.emplace_back(next, kLast);
  return result;
}

bool CharacterSet::contains_other(char32_t c) const {
  const auto behind =
      std::upper_bound(rest_.begin(), rest_.end(), c,
                       [](char32_t one, const auto& range) { return one < range.first; });
  return behind != rest_.begin() && c <= std::prev(behind)->second;
}

char32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < more) return kReplacement;
  char32_t code = lead & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return kReplacement;
    code = code << 6U | (byte & 0x3FU);
  }
  text.remove_prefix(more);
  return code <= CharacterSet::kLast ? code : kReplacement;
}

}  // namespace petrel::schema
