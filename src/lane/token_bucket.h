// TokenBucket holds attempts to a rate: each takes a token, and tokens come back evenly in time.
//
// It holds one token, or ten milliseconds' worth if that is more. So up to 100 a second attempts
// are spaced evenly, and above that a timer that fires a little late loses nothing:
//
//   5/s       holds 1 token       at most 5 in any second
//   2000/s    holds 20 tokens     at most 2020 in any second
//
// Whatever the rate, any window of one second sees at most 1 % more than it. The arithmetic is in
// whole numbers and nothing is rounded away, so a bucket that is asked for days gives exactly its
// rate.
//
// Time is handed in, never read; a `now` before the last one counts as the last one.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "lane/rate.h"

namespace petrel::lane {

class TokenBucket {
 public:
  // Starts full.
  TokenBucket(Rate rate, MonoTime now) : rate_(rate), filled_at_(now), credit_(capacity()) {}

  // Takes a token if there is one.
  [[nodiscard]] bool try_take(MonoTime now);

  // The exact moment at which a token is there: `now` if there is one already.
  MonoTime next_at(MonoTime now) const;

  // Keeps the tokens gained so far, as many as the new rate's bucket holds.
  void set_rate(Rate rate, MonoTime now);

  Rate rate() const { return rate_; }

  // "rate limit of 5/s; next slot in 120ms". Empty if there is a token.
  std::string explain(MonoTime now) const;

 private:
  // Credit is counted in parts of a token so small that every microsecond brings a whole number
  // of them: rate.count() a microsecond, and rate.period() in microseconds make one token.
  std::int64_t token_cost() const { return rate_.period().count(); }
  std::int64_t capacity() const;
  std::int64_t credit_at(MonoTime now) const;
  void fill(MonoTime now);

  Rate rate_;
  MonoTime filled_at_;
  std::int64_t credit_;
};

}  // namespace petrel::lane
