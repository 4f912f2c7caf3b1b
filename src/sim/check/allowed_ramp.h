// AllowedRamp is the most that an endpoint may get while it recovers, worked out from what was seen
// of it outside: when it began, how fast the endpoint was before, and how its attempts ended.
//
//   one in flight and a tenth of the former rate, at least 1/s; both double with every step of 5 s
//   in which attempts ended and under 10 % of them badly; or, when it was repeated three times,
//   under 50 %
//
// Nobody outside sees when a step begins and ends, only that it takes 5 s or more. So it takes the
// steps that allow most.
//
// Thread: confined.

#pragma once

#include <optional>
#include <vector>

#include "base/time.h"

namespace petrel::sim::check {

class AllowedRamp {
 public:
  // `former_rate` is in attempts a second.
  AllowedRamp(double former_rate, MonoTime now);

  void ended(bool is_bad, MonoTime now);

  // The process has started again: the step that it was in starts over.
  void restarted(MonoTime now);

  // How often its limits may have doubled by now, at most. Time must not go back between calls.
  int doublings(MonoTime now);

  int in_flight_max(MonoTime now);
  double rate(MonoTime now);

  MonoTime began() const { return began_; }

 private:
  struct Ending {
    MonoTime at;
    bool is_bad;
  };

  std::optional<MonoTime> next_doubling(MonoTime now) const;
  std::optional<MonoTime> end_of_repeats(MonoTime now) const;
  std::optional<MonoTime> end_of_step(std::size_t first, MonoTime now) const;

  double rate_first_;
  MonoTime began_;
  int doublings_ = 0;
  MonoTime step_from_;           // No step that is not over yet began before.
  std::vector<Ending> endings_;  // Since then.
};

}  // namespace petrel::sim::check
