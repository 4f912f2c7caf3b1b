#include "app/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace petrel::app {
namespace {

// What is longer was not a slip of the finger, and costs time to compare.
constexpr std::size_t kLengthMax = 64;

// A beginning of so many characters is a guess worth offering.
constexpr std::size_t kBeginningMin = 3;

// How many letters have to be put in, left out, changed or swapped with their neighbour.
std::size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

}  // namespace

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLengthMax) return {};
  const std::size_t slips_max = std::max<std::size_t>(1, word.size() / 3);
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  std::string found;
  for (const std::string& candidate : candidates) {
    std::size_t slips = slips_between(word, candidate);
    if (word.size() >= kBeginningMin && candidate.starts_with(word)) {
      slips = std::min(slips, slips_max);
    }
    if (slips > slips_max || slips >= fewest || slips >= candidate.size()) continue;
    fewest = slips;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = closest(word, candidates);
  return found.empty() ? std::string() : ": did you mean " + found + "?";
}

}  // namespace petrel::app
