// Ramp brings traffic back step by step after a circuit closed or an endpoint was resumed, so
// that a receiver which has just recovered does not get its whole backlog at once.
//
// It starts with one request in flight and a tenth of the former rate, and judges each step of
// 5 s by the attempts that ended in it:
//
//   under 10 % failed, and the ramp refused something   both limits double
//   under 10 % failed, and it refused nothing           over: other limits bind, or none need to
//   10 % to under 50 % failed                           the step is repeated, at most three times
//                                                       in a row; then it counts as a good one
//   50 % or more failed                                 the step is repeated
//   no attempt ended                                    the step is repeated: nothing was learnt
//   no attempt ended, and nothing was due or in flight  over: there is no backlog to hold back
//
// So a receiver that always fails a third of what it gets is not kept at the first step for ever,
// and a lane that has nothing to do is not shown as ramping.
//
// With a big backlog after 300 a second before: 30/s and 1 in flight, 60/s and 2, 120/s and 4 …
// until a good step in which something else held the traffic back. From step to step the
// receiver's load never more than doubles.
//
// A step is judged when the lane asks after its end, and the next one starts at that moment, so
// however late that is, a step is at least 5 s long and the limits double once. The engine asks at
// step_ends_at() at the latest; only it knows whether anything is due, so only pass() can end a
// ramp that had nothing to do.
//
// A lane asks the ramp last, when nothing else would refuse: only then is a refusal the ramp's.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "lane/rate.h"
#include "lane/token_bucket.h"

namespace petrel::lane {

struct RampSettings {
  Duration step = std::chrono::seconds(5);
  std::int32_t failed_percent_to_repeat = 10;
  std::int32_t repeats_max = 3;              // In a row, while fewer fail than …
  std::int32_t failed_percent_to_stay = 50;  // … this: then it is repeated as often as it takes.
  std::int32_t in_flight_first = 1;
  std::int32_t rate_divisor = 10;  // The first step has the former rate divided by this …
  Rate rate_first_min = Rate::per_second(1);  // … but at least this.
};

class Ramp {
 public:
  enum class Ending {
    Good,
    Bad,  // A failure, or a 429: the receiver cannot bear more. Our own faults are not told.
  };

  // What is kept over a restart: where it was. The step itself is repeated.
  struct Snapshot {
    bool is_active = false;
    Rate rate = Rate::per_second(1);
    std::int32_t in_flight_max = 1;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // Starts out inactive: it refuses nothing.
  //
  // REQUIRES: step > 0, 1 <= failed_percent_to_repeat <= 100, repeats_max >= 0,
  // in_flight_first >= 1 and 1 <= rate_divisor <= 1000.
  Ramp(const RampSettings& settings, MonoTime now);

  // Takes over changed settings: from the next step on, and for the first one of the next ramp.
  //
  // REQUIRES: as above.
  void configure(const RampSettings& settings);

  // Begins with the first step, also in the middle of a ramp. Without a former rate it begins
  // with the smallest.
  void start(std::optional<Rate> former_rate, MonoTime now);

  // Ends it unfinished: the circuit has opened again, or the endpoint was paused.
  void stop();

  // Whether one more attempt may start next to the `in_flight` there are; if so it is counted.
  [[nodiscard]] bool try_admit(MonoTime now, std::int32_t in_flight);

  // One more would have to wait for the ramp, but was not asked for: something else refused first.
  void note_refusal(MonoTime now);

  // An attempt has ended.
  void settle(Ending ending, MonoTime now);

  // Judges the step if it is over. `has_work` says whether anything is due or in flight at `now`:
  // what was, in a step in which no attempt ended, still is.
  void pass(MonoTime now, bool has_work);

  // When pass() is to be called. Empty while it is inactive.
  std::optional<MonoTime> step_ends_at() const;

  // The moment to ask again: when the rate allows one more, or when the step ends, for then the
  // limits may have grown. `now` if an attempt may start. An attempt that ends makes room too.
  MonoTime next_at(MonoTime now, std::int32_t in_flight) const;

  // True once after a ramp has run to its end.
  [[nodiscard]] bool take_finished(MonoTime now);

  bool is_active(MonoTime now) const { return at(now).is_active_; }

  // REQUIRES: is_active(now).
  Rate rate(MonoTime now) const { return at(now).bucket_.rate(); }
  std::int32_t in_flight_max(MonoTime now) const { return at(now).in_flight_max_; }

  // "ramping up after recovery: 4/s and 2 in flight". Empty if one more may start next to the
  // `in_flight` there are.
  std::string explain(MonoTime now, std::int32_t in_flight) const;

  Snapshot snapshot(MonoTime now) const;
  void restore(const Snapshot& snapshot, MonoTime now);

 private:
  static void check(const RampSettings& settings);
  void begin(Rate rate, std::int32_t in_flight_max, MonoTime now);
  void begin_step(MonoTime now);
  enum class Grade { Unknown, Good, Fair, Bad };

  void judge_step(MonoTime now);
  void finish();
  Grade grade() const;
  bool takes_step(Grade grade);

  // As it is once the step that has ended by `now` is judged.
  Ramp at(MonoTime now) const;

  RampSettings settings_;
  TokenBucket bucket_;
  std::int32_t in_flight_max_;
  bool is_active_ = false;
  bool is_finished_ = false;

  MonoTime step_ends_at_{};
  std::int32_t ended_in_step_ = 0;
  std::int32_t bad_in_step_ = 0;
  bool refused_in_step_ = false;
  bool asked_in_step_ = false;
  std::int32_t repeats_ = 0;  // Of a step that was Fair, in a row.
};

}  // namespace petrel::lane
