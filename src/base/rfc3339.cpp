#include "base/rfc3339.h"

#include <fmt/format.h>

#include "base/civil.h"
#include "base/text.h"
#include "base/text_reader.h"

namespace petrel {
namespace {

constexpr int kFractionDigits = 6;

Duration read_fraction(TextReader& reader) {
  if (!reader.accept(".")) return Duration::zero();
  Duration::rep micros = 0;
  int count = 0;
  while (!reader.rest().empty() && is_digit(reader.rest().front())) {
    const int digit = reader.digits(1);
    if (count < kFractionDigits) micros = micros * 10 + digit;
    ++count;
  }
  if (count == 0) reader.fail();
  for (; count < kFractionDigits; ++count) micros *= 10;
  return Duration(micros);
}

// How far the written time is ahead of UTC.
Duration read_offset(TextReader& reader) {
  if (reader.accept("Z") || reader.accept("z") || reader.accept(" UTC")) return {};
  if (reader.rest().empty()) return {};
  const bool is_behind = reader.accept("-");
  if (!is_behind) reader.expect("+");
  const int hours = reader.digits(2);
  reader.accept(":");
  const int minutes = reader.digits(2);
  if (hours > 23 || minutes > 59) reader.fail();
  const Duration offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return is_behind ? -offset : offset;
}

// A leap second or an offset can carry a time out of the years that have a text form.
bool has_four_digit_year(WallTime time) {
  const int year = to_civil(time).year;
  return year >= 1 && year <= 9999;
}

}  // namespace

std::string to_rfc3339(WallTime time) {
  const Civil civil = to_civil(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", civil.year, civil.month,
                     civil.day, civil.hour, civil.minute, civil.second, civil.fraction.count());
}

Result<WallTime> parse_rfc3339(std::string_view text) {
  TextReader reader(text);
  Civil civil;
  civil.year = reader.digits(4);
  reader.expect("-");
  civil.month = static_cast<unsigned>(reader.digits(2));
  reader.expect("-");
  civil.day = static_cast<unsigned>(reader.digits(2));
  if (!reader.accept("T") && !reader.accept("t")) reader.expect(" ");
  civil.hour = reader.digits(2);
  reader.expect(":");
  civil.minute = reader.digits(2);
  reader.expect(":");
  civil.second = reader.digits(2);
  civil.fraction = read_fraction(reader);
  const Duration offset = read_offset(reader);
  const std::optional<WallTime> time = to_wall(civil);
  if (!reader.done() || !time || !has_four_digit_year(*time - offset)) {
    return invalid("", fmt::format("{} is not a time: write RFC 3339, such as "
                                   "\"2026-03-09T14:05:06Z\"",
                                   in_quotes(text)));
  }
  return *time - offset;
}

}  // namespace petrel
