#include "schema/pattern.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace petrel::schema {
namespace {

// The largest number in a pair of braces that begins at `at`; 1 if it is no count.
std::size_t count_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('}', at);
  if (end == std::string_view::npos) return 1;
  std::size_t largest = 1;
  std::size_t number = 0;
  for (const char c : text.substr(at + 1, end - at - 1)) {
    if (!is_digit(c) && c != ',') return 1;
    number = c == ',' ? 0
                      : std::min<std::size_t>(number * 10 + static_cast<std::size_t>(c - '0'),
                                              Pattern::kStatesMax + 1);
    largest = std::max(largest, number);
  }
  return largest;
}

// As if every count held for the whole expression: more than there will be, never less.
std::size_t states_of(std::string_view text) {
  std::size_t states = text.size();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '{') {
      states *= count_at(text, at);
    }
    if (states > Pattern::kStatesMax) break;
  }
  return states;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  if (states_of(text) > kStatesMax) {
    return invalid("", fmt::format("is a pattern too large to be matched in bounded time: its "
                                   "length times its counts must not be more than {}",
                                   kStatesMax));
  }
  if (text.find("(?=") != std::string_view::npos || text.find("(?!") != std::string_view::npos) {
    return invalid("", "is a pattern with a condition on what follows, which is not supported");
  }
  try {
    // The GNU library's promise not to backtrack.
    const auto flags =
        std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    // Going over what comes before is part of the expression: one pass finds it anywhere.
    return Pattern(std::regex("[^]*?(?:" + std::string(text) + ")", flags));
  } catch (const std::regex_error& error) {
    return invalid("", fmt::format("is not a pattern that we can match: {}", error.what()));
  }
}

bool Pattern::matches(std::string_view text) const {
  CHECK(text.size() <= kTextBytesMax);
  return std::regex_search(text.begin(), text.end(), regex_,
                           std::regex_constants::match_continuous);
}

}  // namespace petrel::schema
