// Pace says how many deliveries of a replay may be put back on their lanes now: at a rate that
// follows the answers.
//
//   good answers   the rate doubles each minute, up to its ceiling
//   more than one  in ten bad: it is halved, at once if that is plain, never under one a minute
//   no answers     it stays as it is; and while nothing can be put back the minute does not run,
//                  nor before the first one was
//
// An answer counts for the rate at which its delivery was put back: once that has changed, what is
// still out does not change it again.
//
// Without a ramp the rate is constant. A replay that was held up catches up with a second's worth
// at most, so the receiver never gets a backlog at once.
//
// Time is handed in, never read, and must not go back between calls.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "model/task.h"

namespace petrel::replay {

class Pace {
 public:
  // What comes within this time is put back together: one commit serves all of it.
  static constexpr Duration kGathered = std::chrono::milliseconds(100);

  // `rate_now` is where it left off, or 0 if it begins; the first may go at `first_at`.
  //
  // REQUIRES: 1 <= rate_per_minute <= rate_per_minute_max.
  Pace(const model::Pacing& pacing, int rate_now, MonoTime first_at);

  // How many may go now; 0 before wake_at().
  std::size_t allowance(MonoTime now) const;

  // When to ask for the next.
  MonoTime wake_at() const;

  // When the next one may go.
  MonoTime next_at() const { return next_at_; }

  void released(std::size_t count, MonoTime now);

  // How the first attempt of one that was released has ended.
  void answered(bool is_good, MonoTime now);

  // Nothing can be put back, for reasons that are not the pace's.
  void stands_still(MonoTime now);

  int rate_per_minute() const { return rate_; }

 private:
  Duration interval() const { return Duration(std::chrono::minutes(1)) / rate_; }
  Duration credit_max() const { return std::max<Duration>(interval(), std::chrono::seconds(1)); }
  void begin_minute(MonoTime now);
  void set_rate(int rate, MonoTime now);
  void judge(MonoTime now);

  const model::Pacing pacing_;
  int rate_;
  MonoTime next_at_;
  MonoTime minute_began_;
  bool has_begun_ = false;  // One was released.
  std::uint64_t good_ = 0;  // In this minute.
  std::uint64_t bad_ = 0;
  std::uint64_t unanswered_ = 0;
  std::uint64_t stale_ = 0;  // Of those, released before the rate last changed: they say nothing.
};

// How long it takes to put so many back from a rate of `rate_now` on, if all answers are good.
Duration time_for(const model::Pacing& pacing, int rate_now, std::uint64_t count);

}  // namespace petrel::replay
