// Rate says how many of something may happen in how long a time: 5 a second, 100 a minute.
//
// It is kept as the fraction it was given as, so a tenth of 7 a second is exactly 7 in ten
// seconds, and nothing drifts. The slowest is one in kPeriodMax, the fastest one a microsecond;
// within these bounds products of two rates fit into 64 bits.
//
// Thread: any. A value.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/time.h"

namespace petrel::lane {

class Rate {
 public:
  static constexpr Duration kPeriodMax = std::chrono::minutes(30);

  // REQUIRES: count >= 1, 0 < period <= kPeriodMax, at most one a microsecond.
  static Rate of(std::int64_t count, Duration period);

  // REQUIRES: 1 <= count <= 1,000,000.
  static Rate per_second(std::int64_t count) { return of(count, std::chrono::seconds(1)); }

  std::int64_t count() const { return count_; }
  Duration period() const { return period_; }

  // Stops at one a microsecond.
  Rate doubled() const;

  // Stops at one in kPeriodMax; rounds to the slower side if the fraction grows too long.
  //
  // REQUIRES: 1 <= divisor <= 1000.
  Rate divided_by(std::int32_t divisor) const;

  bool is_faster_than(const Rate& other) const;

  // "5/s", "2.5/s"; in minutes or hours if it is less than one a second: "6/min", "20/h".
  std::string text() const;

  // 2 a second and 4 in two seconds are the same.
  friend bool operator==(const Rate&, const Rate&) = default;

 private:
  // In lowest terms.
  Rate(std::int64_t count, Duration period);

  std::int64_t count_;
  Duration period_;
};

}  // namespace petrel::lane
