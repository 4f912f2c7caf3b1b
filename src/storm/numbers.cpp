#include "storm/numbers.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::storm {

std::string with_commas(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_commas(number), number == 1 ? one : many);
}

std::optional<Duration> percentile(std::vector<Duration> times, int percent) {
  CHECK(percent >= 1 && percent <= 100);
  if (times.empty()) return std::nullopt;
  const std::size_t rank = (times.size() * static_cast<std::size_t>(percent) + 99) / 100;
  const auto chosen = times.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(times.begin(), chosen, times.end());
  return *chosen;
}

}  // namespace petrel::storm
