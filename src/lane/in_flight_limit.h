// InFlightLimit bounds how many requests a receiver has to work on at once, and learns how many
// it can bear.
//
// The limit starts at ten, or at the maximum if that is less. A full round of good answers, as
// many as the limit is, makes it one more; a pushback (429, 502, 503, 504 or a timeout) halves it:
//
//   10 --pushback--> 5 --5 good--> 6 --6 good--> 7 …
//
// It is halved at most once per round trip: a request that was on its way when the limit was
// halved says nothing about the new limit, so its answer neither halves it again nor counts for
// the next round. The limit never leaves 1 … maximum.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace petrel::lane {

struct InFlightSettings {
  std::int32_t max = 10;
  std::int32_t first = 10;  // Where the limit starts, if max allows it.
};

class InFlightLimit {
 public:
  // Leave to have one request in flight. It remembers how often the limit had been halved when it
  // was given.
  struct Slot {
    std::uint32_t halvings;
  };

  enum class Answer {
    Good,
    Pushback,  // 429, 502, 503, 504, or a timeout.
    Other,     // Says nothing about how much the receiver can bear.
  };

  // REQUIRES: max >= 1 and first >= 1.
  explicit InFlightLimit(const InFlightSettings& settings);

  // A slot if fewer requests than the limit are in flight. Every slot is released exactly once.
  [[nodiscard]] std::optional<Slot> try_acquire();

  // The request that `slot` was for has ended with `answer`.
  void release(Slot slot, Answer answer);

  // A lower maximum holds at once: nothing new starts until enough of what is in flight has
  // ended. A higher one is reached round by round.
  //
  // REQUIRES: max >= 1.
  void set_max(std::int32_t max);

  // Where a limit that was kept over a restart goes on.
  void start_at(std::int32_t limit) { limit_ = std::clamp(limit, 1, max_); }

  bool is_full() const { return in_flight_ >= limit_; }
  std::int32_t in_flight() const { return in_flight_; }
  std::int32_t limit() const { return limit_; }
  std::int32_t max() const { return max_; }

  // "10 of 10 requests are in flight", with the reason if the limit was lowered. Empty if one
  // more may start. The answer is the same at every moment; `now` is there because all guards of
  // a lane are asked alike.
  std::string explain(MonoTime now) const;

 private:
  void count_good();
  void halve();

  std::int32_t max_;
  std::int32_t limit_;
  std::int32_t in_flight_ = 0;
  std::int32_t good_in_round_ = 0;
  std::uint32_t halvings_ = 0;
};

}  // namespace petrel::lane
