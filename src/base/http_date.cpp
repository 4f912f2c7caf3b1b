#include "base/http_date.h"

#include <array>

#include <fmt/format.h>

#include "base/civil.h"
#include "base/text_reader.h"

namespace petrel {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

unsigned read_month(TextReader& reader) {
  return static_cast<unsigned>(reader.one_of(kMonths)) + 1;
}

void read_clock(TextReader& reader, Civil& civil) {
  civil.hour = reader.digits(2);
  reader.expect(":");
  civil.minute = reader.digits(2);
  reader.expect(":");
  civil.second = reader.digits(2);
}

std::optional<WallTime> parse_imf_fixdate(std::string_view text) {
  TextReader reader(text);
  Civil civil;
  reader.one_of(kDays);
  reader.expect(", ");
  civil.day = static_cast<unsigned>(reader.digits(2));
  reader.expect(" ");
  civil.month = read_month(reader);
  reader.expect(" ");
  civil.year = reader.digits(4);
  reader.expect(" ");
  read_clock(reader, civil);
  reader.expect(" GMT");
  return reader.done() ? to_wall(civil) : std::nullopt;
}

std::optional<WallTime> parse_rfc850(std::string_view text, WallTime now) {
  TextReader reader(text);
  Civil civil;
  reader.one_of(kLongDays);
  reader.expect(", ");
  civil.day = static_cast<unsigned>(reader.digits(2));
  reader.expect("-");
  civil.month = read_month(reader);
  reader.expect("-");
  const int short_year = reader.digits(2);
  reader.expect(" ");
  read_clock(reader, civil);
  reader.expect(" GMT");
  if (!reader.done()) return std::nullopt;

  Civil latest = to_civil(now);
  civil.year = latest.year / 100 * 100 + 100 + short_year;
  latest.year += 50;
  while (civil > latest) civil.year -= 100;
  return to_wall(civil);
}

std::optional<WallTime> parse_asctime(std::string_view text) {
  TextReader reader(text);
  Civil civil;
  reader.one_of(kDays);
  reader.expect(" ");
  civil.month = read_month(reader);
  reader.expect(" ");
  const bool is_one_digit = reader.accept(" ");
  civil.day = static_cast<unsigned>(reader.digits(is_one_digit ? 1 : 2));
  reader.expect(" ");
  read_clock(reader, civil);
  reader.expect(" ");
  civil.year = reader.digits(4);
  return reader.done() ? to_wall(civil) : std::nullopt;
}

}  // namespace

std::string to_http_date(WallTime time) {
  const Civil civil = to_civil(time);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[weekday_of(time).c_encoding()], civil.day, kMonths[civil.month - 1],
                     civil.year, civil.hour, civil.minute, civil.second);
}

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  if (const auto time = parse_imf_fixdate(text)) return time;
  if (const auto time = parse_rfc850(text, now)) return time;
  return parse_asctime(text);
}

}  // namespace petrel
