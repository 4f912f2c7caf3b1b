// Lane protects one endpoint: it says whether the next attempt may go, and if not, until when and
// why. It is the guards of this room, asked in the one order that keeps their books right.
//
//   paused or held → circuit → in flight → rate → ramp
//
// It knows nothing of deliveries; the queue is the engine's.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "lane/circuit_breaker.h"
#include "lane/hold.h"
#include "lane/in_flight_limit.h"
#include "lane/ramp.h"
#include "lane/token_bucket.h"
#include "policy/outcome.h"

namespace petrel::lane {

struct LaneSettings {
  int in_flight_max = 10;
  std::optional<int> throttle_rate = std::nullopt;  // Attempts a second.
  bool may_send = true;                             // Neither paused nor disabled.

  // False leaves out what learns from the receiver's answers: circuit, ramp, adaptive limit and the
  // wish to pause. The fixed limits and Retry-After still hold. No endpoint can be set so; a
  // simulation is, to show what a retry policy does by itself. It cannot be changed later.
  bool is_guarded = true;

  BreakerSettings breaker = {};
  RampSettings ramp = {};

  // It wishes to be paused after more permanent failures in a row than this.
  int permanent_streak_max = 100;

  // What failed while the receiver was away is due at once when it is back; see Outage.
  bool releases_after_outage = true;
};

// The time in which a receiver was away: from the first opening of its circuit (since a finished
// ramp) until the circuit closed. One that opens again before what failed in it was released is the
// same outage.
struct Outage {
  MonoTime began;
  MonoTime ended;

  friend bool operator==(const Outage&, const Outage&) = default;
};

class Lane {
 public:
  // Leave for one attempt. Settled exactly once.
  struct Ticket {
    CircuitBreaker::Pass pass;
    InFlightLimit::Slot slot;
  };

  // What an attempt says about the receiver, beyond its outcome.
  struct AttemptReport {
    policy::Outcome outcome;
    bool is_success = false;    // By the policy's rules.
    bool is_permanent = false;  // Final, and no success.
    bool is_exhausted = false;  // The delivery was given up with it.
    std::optional<MonoTime> held_until = std::nullopt;
  };

  // What is kept over a restart, free of any clock. A lane that is at ease has nothing to keep.
  struct Snapshot {
    CircuitBreaker::Snapshot breaker;
    Ramp::Snapshot ramp;
    Duration hold_left{};
    std::int32_t in_flight_limit = 1;
    std::int32_t permanent_streak = 0;

    struct Outage {
      Duration began_ago{};
      Duration ended_ago{};

      friend bool operator==(const Outage&, const Outage&) = default;
    };
    std::optional<Outage> outage = {};

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  Lane(const LaneSettings& settings, MonoTime now);

  // Takes over changed settings. Sending again after a pause begins with a ramp.
  //
  // REQUIRES: is_guarded is as it was.
  void configure(const LaneSettings& settings, MonoTime now);

  // A ticket if an attempt may start at `now`.
  [[nodiscard]] std::optional<Ticket> try_start(MonoTime now);

  // Whether an attempt that got its ticket a while ago, and has not gone on the wire yet, may still
  // go: nothing has closed the door since.
  bool may_depart(const Ticket& ticket, MonoTime now) const;

  // A delivery is due at `now` and has to wait. If it is the ramp that it waits for, that counts as
  // a refusal of its own; try_start() notes it by itself.
  void note_wait(MonoTime now);

  void settle(const Ticket& ticket, const AttemptReport& report, MonoTime now, Random& random);

  // A delivery was given up without an attempt.
  void exhausted(MonoTime now, Random& random);

  // Lets time pass for the ramp, whose end has to be acted on also when there is nothing to send.
  // `is_work_due` says that a delivery is due at `now`. To be called at ramp_step_ends_at() at the
  // latest.
  void pass(MonoTime now, bool is_work_due);
  std::optional<MonoTime> ramp_step_ends_at() const { return ramp_.step_ends_at(); }

  // The outage whose failed deliveries are to be released now that the ramp after it is over. Empty
  // if there is none; it stays until release_through().
  std::optional<Outage> outage_to_release() const;
  bool has_outage() const { return outage_.has_value(); }
  void release_through() { outage_.reset(); }

  // The first moment after `now` at which try_start() may say yes without anything ending before.
  // Empty if only an attempt that ends, or a change of settings, can bring it about.
  std::optional<MonoTime> next_at(MonoTime now) const;

  // Whether there is nothing that a restart must not forget: no circuit that is open or on its way
  // to it, no ramp, also none that begins when a pause ends, no hold, no outage whose deliveries
  // are not released yet.
  bool is_at_ease(MonoTime now) const;

  Snapshot snapshot(MonoTime now) const;

  // Takes over what was kept `away` ago: open times and holds went on meanwhile, the step of a ramp
  // is repeated. To be called before anything has started.
  void restore(Snapshot snapshot, Duration away, MonoTime now);

  // Operators' wishes; see CircuitBreaker. Closing ends a hold as well and begins with the ramp.
  void probe_now(MonoTime now);
  void force_close(MonoTime now);

  // Why a delivery waits, in plain words. Empty if none has to.
  std::string explain(MonoTime now) const;

  // Too many permanent failures in a row: a person has to look at it. True once per streak.
  [[nodiscard]] bool take_pause_wish();

  int in_flight() const { return limit_.in_flight(); }
  const CircuitBreaker& breaker() const { return breaker_; }
  const InFlightLimit& limit() const { return limit_; }
  const Ramp& ramp() const { return ramp_; }
  const Hold& hold() const { return hold_; }

 private:
  void learn(const Ticket& ticket, const AttemptReport& report, MonoTime now, Random& random);
  void set_rate(std::optional<int> rate, MonoTime now);
  std::optional<Rate> rate_lately(MonoTime now) const;
  void follow_ramp(MonoTime now);
  void follow_absent_ramp();
  Ramp ramp_to_keep(MonoTime now) const;
  void follow_breaker(CircuitBreaker::State before, MonoTime now);
  void count_permanent(const AttemptReport& report);

  LaneSettings settings_;
  CircuitBreaker breaker_;
  InFlightLimit limit_;
  std::optional<TokenBucket> bucket_;
  Ramp ramp_;
  Hold hold_;
  std::optional<Outage> outage_;  // The last one, until what failed in it was released.
  std::optional<Rate> rate_before_pause_;
  int permanent_streak_ = 0;
  bool wishes_pause_ = false;
};

}  // namespace petrel::lane
