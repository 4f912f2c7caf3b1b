// CircuitBreaker stops the attempts to a receiver that fails, and finds out when it is back.
//
//              it fails too often             the open time has passed
//     Closed ----------------------> Open -----------------------------> HalfOpen
//       ^                             ^                                   |   |
//       |                             +----------- probe fails -----------+   |
//       +-------------------------------------- probe is answered ------------+
//
// It opens on a streak of failures, on a share of failures in a window, or on deliveries that
// were given up one after the other; BreakerSettings has the figures. While it is Open no attempt
// starts, and while it is HalfOpen one is out, the probe, whose verdict decides. A refusal is not
// an attempt: it costs the delivery none of its retries.
//
// How long it stays open follows how long the receiver has been away: an eighth of the time since
// the circuit first opened, at least 15 s, at most 10 min, each up to a quarter longer. So a
// receiver that is back is found within about a sixth of the time that it was away, and one that
// stays away for a day costs a request every ten minutes:
//
//   away for     1 min    2 min    8 min    40 min    80 min and more
//   open for     15 s     15 s     1 min    5 min     10 min
//
// The time since the first opening starts over once a ramp has finished: a receiver that falls over
// whenever traffic comes back is left alone for longer each time.
//
// Only a failure opens it, or a delivery that was given up; never an answer, even if that answer
// completes the number of attempts a window needs. Closing starts all counts over, but a success is
// remembered for as long as the rule on deliveries that were given up asks for it.
//
// Time is handed in, never read, and must not go back between calls.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "lane/breaker_settings.h"
#include "lane/failure_tally.h"
#include "lane/rate.h"

namespace petrel::lane {

class CircuitBreaker {
 public:
  enum class State { Closed, Open, HalfOpen };

  // What an attempt says about the receiver.
  enum class Verdict {
    Success,
    Failure,    // Network error, timeout, 408, 5xx.
    Reachable,  // A final 4xx: not a success, but it ends a streak and closes a half-open circuit.
    Throttled,  // 429: counts for nothing. To a probe: the circuit is probed again later.
    Nothing,    // Our own fault: counts for nothing. Another probe may go at once.
  };

  // Leave to make one attempt. It remembers the era it was given in, so that an attempt which
  // began before the circuit opened cannot pass for the probe when it ends late.
  struct Pass {
    std::uint64_t era;
  };

  // What is kept over a restart, free of any clock. The time that the process
  // was away may be taken off open_left.
  struct Snapshot {
    State state = State::Closed;
    Duration since_ago{};
    std::string why;
    std::optional<Duration> first_opened_ago;  // Of the openings since the last finished ramp.
    Duration open_left{};
    std::optional<Rate> former_rate;
    FailureTally::Snapshot tally;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // REQUIRES: what FailureTally requires, 0 < open_min <= open_max, open_divisor >= 1 and
  // 0 <= open_jitter_percent <= 100.
  CircuitBreaker(const BreakerSettings& settings, MonoTime now);

  // Takes over changed settings. What counts against the receiver stays, but for the window if its
  // length changes; an open time that is running runs on.
  void configure(const BreakerSettings& settings);

  // A pass if an attempt may start at `now`. Every pass is settled exactly once.
  [[nodiscard]] std::optional<Pass> admit(MonoTime now);

  // Ends the attempt that `pass` was for. Has no effect if the circuit has changed its state
  // since the pass was given.
  //
  // `probe_again_at` matters for a probe that was Throttled: the end of the hold it brought. If
  // it brought none, the circuit stays open as after a probe that failed.
  void settle(Pass pass, Verdict verdict, MonoTime now, Random& random,
              std::optional<MonoTime> probe_again_at = std::nullopt);

  // Whether the circuit is still in the state in which it gave the pass.
  bool is_current(Pass pass) const { return pass.era == era_; }

  // A delivery was given up because its attempts or its time ran out.
  void exhausted(MonoTime now, Random& random);

  // Traffic is back to normal: the next opening is a first one again.
  void ramp_finished() { first_opened_.reset(); }

  // The first opening since a ramp has finished. Empty if there was none.
  std::optional<MonoTime> first_opened() const { return first_opened_; }

  // An operator's wish: the next attempt is the probe, whatever is left of the open time. Has no
  // effect on a closed circuit, nor while a probe is out.
  void probe_now(MonoTime now);

  // An operator's wish: closed, all counts started over. It is no finished ramp.
  void force_close(MonoTime now);

  // Open lasts until the probe goes out, also when its time has passed.
  State state() const { return state_; }

  // When it was closed, or, if it is not, when it first opened: probes that fail do not move it.
  MonoTime since() const { return since_; }

  // Closed, and nothing counts towards opening it.
  bool is_at_ease() const { return state_ == State::Closed && !first_opened_ && tally_.is_clean(); }

  // The last success, also from before the circuit opened. Empty if none is known of.
  std::optional<MonoTime> last_success() const { return tally_.last_success(); }

  // Why it is not closed, such as "20 failures in a row". Empty while it is.
  const std::string& why() const { return why_; }

  // The first moment at which admit() says yes; the scheduler sleeps until then instead of
  // asking. Empty while Closed, and while a probe is out.
  std::optional<MonoTime> next_probe_at() const;

  // Attempts ended per second lately. Empty if there were none, or while it is not closed.
  std::optional<Rate> rate(MonoTime now) const { return tally_.rate(now); }

  // That rate as it was when the circuit last opened, for the ramp to start from.
  std::optional<Rate> former_rate() const { return former_rate_; }

  // "circuit open after 20 failures in a row; next probe in 12s". Empty while it is closed.
  std::string explain(MonoTime now) const;

  Snapshot snapshot(MonoTime now) const;

  // Takes the state of `snapshot`. A half-open circuit, whose probe is lost, comes back open with
  // no time left. Passes given before have no effect any more.
  void restore(const Snapshot& snapshot, MonoTime now);

 private:
  static void check(const BreakerSettings& settings);
  void settle_attempt(Verdict verdict, MonoTime now, Random& random);
  void settle_probe(Verdict verdict, MonoTime now, Random& random,
                    std::optional<MonoTime> probe_again_at);

  void enter(State state);
  void open_if_enough(MonoTime now, Random& random);
  void close(MonoTime now);
  Duration draw_open_time(MonoTime now, Random& random) const;

  BreakerSettings settings_;
  State state_ = State::Closed;
  bool is_probe_out_ = false;
  std::uint64_t era_ = 0;  // Counts changes of state.
  MonoTime since_;
  std::string why_;
  std::optional<MonoTime> first_opened_;
  MonoTime open_until_{};
  std::optional<Rate> former_rate_;
  FailureTally tally_;  // Holds nothing unless it is Closed.
};

}  // namespace petrel::lane
