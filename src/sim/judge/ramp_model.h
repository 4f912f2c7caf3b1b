// RampModel is the most that an endpoint may get while it recovers, worked out from what is seen
// outside: when the ramp began, how fast the endpoint was before, and how its attempts end.
//
//   first a few in flight (1) and a tenth of the former rate, at least 1/s; both double with every
//   step (5 s) in which attempts ended and under 10 % of them badly, or, when it was repeated three
//   times, under 50 %
//
// Nobody outside sees where a step begins, only that it takes its time or more. So the model takes
// the steps that allow most. Nor does anybody see what was refused. The ramp is over after a good
// step that refused nothing: it may be as soon as a whole step has passed in which it was not seen
// to hold anything back. It is over after a step in which nothing was due or in flight: so it must
// be after two of them, wherever they begin.
//
// Thread: confined.

#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "sim/judge/bucket_model.h"
#include "sim/judge/settings_reading.h"

namespace petrel::sim::judge {

class RampModel {
 public:
  // `former_rate` is in attempts a second, the largest that it may have been.
  RampModel(const Guards& guards, double former_rate, MonoTime now);

  // An attempt ended; 429 and failures are bad.
  void ended(bool is_bad, MonoTime now);

  // It took its share of the rate, at some moment between the two.
  void took(MonoTime earliest, MonoTime latest) { bucket_.take(earliest, latest); }

  // Something was due or in flight up to `now`.
  void was_busy(MonoTime now) { busy_at_ = now; }

  // Since then, and up to `now`, something was due that nothing else held back.
  void was_pressed(MonoTime since, MonoTime now);

  // The process has started again: the step that it was in is repeated.
  void restarted(MonoTime now);

  // Lets the steps pass that can be over by `now`. To be called before the questions below.
  void pass(MonoTime now);

  int in_flight_max() const;
  bool fits(MonoTime earliest, MonoTime latest) const { return bucket_.fits(earliest, latest); }
  double rate() const;

  bool may_be_over(MonoTime now) const;
  bool must_be_over(MonoTime now, Duration slack) const;

  MonoTime began() const { return began_; }

 private:
  struct Ending {
    MonoTime at;
    bool is_bad;
  };

  std::optional<MonoTime> next_doubling(MonoTime now) const;
  std::optional<MonoTime> end_of_good_step(std::size_t first, MonoTime now) const;
  std::optional<MonoTime> end_of_repeats(MonoTime now) const;

  Guards guards_;
  double rate_first_;
  MonoTime began_;
  MonoTime step_from_;  // No step that is not over yet began before.
  MonoTime busy_at_;
  MonoTime pressed_at_;
  int doublings_ = 0;
  bool was_over_ = false;        // It may have been over at some time since it began.
  std::vector<Ending> endings_;  // Since step_from_.
  BucketModel bucket_;
};

}  // namespace petrel::sim::judge
