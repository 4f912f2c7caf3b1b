#include "base/civil.h"

namespace petrel {
namespace {

std::chrono::sys_days day_of(WallTime time) {
  return std::chrono::sys_days(std::chrono::floor<std::chrono::days>(time.time_since_epoch()));
}

}  // namespace

Civil to_civil(WallTime time) {
  const std::chrono::sys_days day = day_of(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time.time_since_epoch() - day.time_since_epoch());
  return {.year = int(date.year()),
          .month = unsigned(date.month()),
          .day = unsigned(date.day()),
          .hour = int(clock.hours().count()),
          .minute = int(clock.minutes().count()),
          .second = int(clock.seconds().count()),
          .fraction = clock.subseconds()};
}

std::optional<WallTime> to_wall(const Civil& civil) {
  const std::chrono::year_month_day date(
      std::chrono::year(civil.year), std::chrono::month(civil.month), std::chrono::day(civil.day));
  // The calendar's own types keep no more than eight bits of a month or day.
  const bool is_date =
      date.ok() && civil.year >= 1 && civil.year <= 9999 && civil.month <= 12 && civil.day <= 31;
  const bool is_clock = civil.hour >= 0 && civil.hour < 24 && civil.minute >= 0 &&
                        civil.minute < 60 && civil.second >= 0 && civil.second <= 60;
  if (!is_date || !is_clock) return std::nullopt;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(civil.hour) +
                  std::chrono::minutes(civil.minute) + std::chrono::seconds(civil.second) +
                  civil.fraction);
}

std::chrono::weekday weekday_of(WallTime time) { return std::chrono::weekday(day_of(time)); }

}  // namespace petrel
