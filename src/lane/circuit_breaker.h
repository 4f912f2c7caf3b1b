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
// With the default settings a receiver that stays away is probed after about 15 s, 30 s, 1 min,
// 2, 4, 8 and then every 10 min, each up to a quarter longer, so it is found again soon after it
// is back. The open time starts at 15 s again once a ramp has finished: a receiver that falls
// over whenever traffic comes back is left alone for longer each time.
//
// Only a failure opens it, never an answer, even if that answer completes the number of attempts
// a window needs. Closing starts all counts over.
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

  // What is kept over a restart, free of any clock. Whoever restores it may take the time the
  // process was away off open_left.
  struct Snapshot {
    State state = State::Closed;
    Duration since_ago{};
    std::string why;
    std::int32_t openings = 0;  // Since the last finished ramp; sets how long the next one lasts.
    Duration open_left{};
    std::optional<Rate> former_rate;
    FailureTally::Snapshot tally;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // REQUIRES: what FailureTally requires, 0 < open_first <= open_max and
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
  // it brought none, the circuit stays open once more for as long as before.
  void settle(Pass pass, Verdict verdict, MonoTime now, Random& random,
              std::optional<MonoTime> probe_again_at = std::nullopt);

  // Whether the circuit is still in the state in which it gave the pass.
  bool is_current(Pass pass) const { return pass.era == era_; }

  // A delivery was given up because its attempts or its time ran out.
  void exhausted(MonoTime now, Random& random);

  // Traffic is back to normal: the next opening is as short as the first.
  void ramp_finished() { openings_ = 0; }

  // An operator's wish: the next attempt is the probe, whatever is left of the open time. Has no
  // effect on a closed circuit, nor while a probe is out.
  void probe_now(MonoTime now);

  // An operator's wish: closed, all counts started over. The next opening is no shorter for it.
  void force_close(MonoTime now);

  // Open lasts until the probe goes out, also when its time has passed.
  State state() const { return state_; }

  // When it was closed, or, if it is not, when it first opened: probes that fail do not move it.
  MonoTime since() const { return since_; }

  // Closed, and nothing counts towards opening it.
  bool is_at_ease() const { return state_ == State::Closed && openings_ == 0 && tally_.is_clean(); }

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
  Duration draw_open_time(Random& random) const;

  BreakerSettings settings_;
  State state_ = State::Closed;
  bool is_probe_out_ = false;
  std::uint64_t era_ = 0;  // Counts changes of state.
  MonoTime since_;
  std::string why_;
  std::int32_t openings_ = 0;
  MonoTime open_until_{};
  std::optional<Rate> former_rate_;
  FailureTally tally_;  // Holds nothing unless it is Closed.
};

}  // namespace petrel::lane
