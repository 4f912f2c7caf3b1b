#include "base/duration_text.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array<Unit, 5> kUnits = {{{"d", days(1)},
                                         {"h", hours(1)},
                                         {"m", minutes(1)},
                                         {"s", seconds(1)},
                                         {"ms", milliseconds(1)}}};

constexpr std::string_view kForm = "a whole number and a unit (ms, s, m, h or d), such as \"30s\"";

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const std::string_view number_text = text.substr(0, digits);
  const std::string_view unit_text = text.substr(digits);

  for (const Unit& unit : kUnits) {
    if (digits == 0 || unit_text != unit.name) continue;
    const auto number = parse_digits(number_text);
    if (!number || *number > std::numeric_limits<Duration::rep>::max() / unit.length.count()) {
      return invalid("", fmt::format("{} is too long a duration", in_quotes(text)));
    }
    return *number * unit.length;
  }
  return invalid("", fmt::format("{} is not a duration: write {}", in_quotes(text), kForm));
}

std::string to_text(Duration duration) {
  if (duration < Duration::zero()) return "-" + to_text(-std::max(duration, -Duration::max()));
  duration = std::chrono::floor<milliseconds>(duration);
  if (duration == Duration::zero()) return "0s";
  for (const Unit& unit : kUnits) {
    if (duration % unit.length == Duration::zero()) {
      return fmt::format("{}{}", duration / unit.length, unit.name);
    }
  }
  return {};  // Not reached: milliseconds are the last unit.
}

std::string to_words(Duration duration) {
  if (duration < Duration::zero()) return "-" + to_words(-duration);
  if (duration < seconds(10)) duration = std::chrono::round<milliseconds>(duration);
  if (duration < seconds(1)) return fmt::format("{}ms", duration / milliseconds(1));
  if (duration < seconds(10)) {
    const std::int64_t tenths = duration / milliseconds(100);
    return tenths % 10 == 0 ? fmt::format("{}s", tenths / 10)
                            : fmt::format("{}.{}s", tenths / 10, tenths % 10);
  }
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    const Unit& unit = kUnits[i];
    if (duration < unit.length) continue;
    const std::string first = fmt::format("{}{}", duration / unit.length, unit.name);
    if (unit.length == seconds(1)) return first;
    const Unit& next = kUnits[i + 1];
    const std::int64_t rest = (duration % unit.length) / next.length;
    return rest == 0 ? first : fmt::format("{} {}{}", first, rest, next.name);
  }
  return "0s";
}

}  // namespace petrel
