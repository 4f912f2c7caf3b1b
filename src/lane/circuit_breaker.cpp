#include "lane/circuit_breaker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/duration_text.h"

namespace petrel::lane {

CircuitBreaker::CircuitBreaker(const BreakerSettings& settings, MonoTime now)
    : settings_(settings), since_(now), tally_(settings) {
  check(settings);
}

void CircuitBreaker::check(const BreakerSettings& settings) {
  CHECK(settings.open_min > Duration::zero() && settings.open_min <= settings.open_max);
  CHECK(settings.open_divisor >= 1);
  CHECK(settings.open_jitter_percent >= 0 && settings.open_jitter_percent <= 100);
}

void CircuitBreaker::configure(const BreakerSettings& settings) {
  check(settings);
  settings_ = settings;
  tally_.configure(settings);
}

std::optional<CircuitBreaker::Pass> CircuitBreaker::admit(MonoTime now) {
  if (state_ == State::Closed) return Pass{era_};
  if (is_probe_out_ || now < open_until_) return std::nullopt;
  if (state_ == State::Open) enter(State::HalfOpen);
  is_probe_out_ = true;
  return Pass{era_};
}

void CircuitBreaker::settle(Pass pass, Verdict verdict, MonoTime now, Random& random,
                            std::optional<MonoTime> probe_again_at) {
  if (pass.era != era_) return;
  if (state_ == State::Closed) {
    settle_attempt(verdict, now, random);
  } else {
    CHECK(is_probe_out_);
    is_probe_out_ = false;
    settle_probe(verdict, now, random, probe_again_at);
  }
}

void CircuitBreaker::settle_attempt(Verdict verdict, MonoTime now, Random& random) {
  switch (verdict) {
    case Verdict::Success:
      tally_.count_success(now);
      return;
    case Verdict::Reachable:
      tally_.count_reachable(now);
      return;
    case Verdict::Failure:
      tally_.count_failure(now);
      open_if_enough(now, random);
      return;
    case Verdict::Throttled:
    case Verdict::Nothing:
      return;
  }
}

void CircuitBreaker::settle_probe(Verdict verdict, MonoTime now, Random& random,
                                  std::optional<MonoTime> probe_again_at) {
  switch (verdict) {
    case Verdict::Success:
      close(now);
      tally_.count_success(now);
      return;
    case Verdict::Reachable:
      close(now);
      tally_.count_reachable(now);
      return;
    case Verdict::Failure:
      open_until_ = now + draw_open_time(now, random);
      enter(State::Open);
      return;
    case Verdict::Throttled: {
      // A hold that is over already says no more than none: probing at once would go on for ever.
      const bool is_held = probe_again_at && *probe_again_at > now;
      open_until_ = is_held ? *probe_again_at : now + draw_open_time(now, random);
      enter(State::Open);
      return;
    }
    case Verdict::Nothing:
      open_until_ = now;
      return;
  }
}

void CircuitBreaker::exhausted(MonoTime now, Random& random) {
  if (state_ != State::Closed) return;
  tally_.count_exhausted(now);
  open_if_enough(now, random);
}

void CircuitBreaker::probe_now(MonoTime now) {
  if (state_ == State::Closed || is_probe_out_) return;
  open_until_ = now;
  if (state_ == State::Open) enter(State::HalfOpen);
}

void CircuitBreaker::force_close(MonoTime now) {
  if (state_ == State::Closed) {
    tally_.clear();
  } else {
    close(now);
  }
}

std::optional<MonoTime> CircuitBreaker::next_probe_at() const {
  if (state_ == State::Closed || is_probe_out_) return std::nullopt;
  return open_until_;
}

std::string CircuitBreaker::explain(MonoTime now) const {
  if (state_ == State::Closed) return {};
  if (is_probe_out_) return fmt::format("circuit half-open after {}; a probe is out", why_);
  if (open_until_ <= now) return fmt::format("circuit open after {}; next probe is due", why_);
  return fmt::format("circuit open after {}; next probe in {}", why_, to_words(open_until_ - now));
}

void CircuitBreaker::enter(State state) {
  state_ = state;
  ++era_;
}

void CircuitBreaker::open_if_enough(MonoTime now, Random& random) {
  std::string reason = tally_.reason_to_open(now);
  if (reason.empty()) return;
  why_ = std::move(reason);
  since_ = now;
  former_rate_ = tally_.rate(now);
  tally_.clear();
  if (!first_opened_) first_opened_ = now;
  open_until_ = now + draw_open_time(now, random);
  enter(State::Open);
}

void CircuitBreaker::close(MonoTime now) {
  since_ = now;
  why_.clear();
  is_probe_out_ = false;
  enter(State::Closed);
}

Duration CircuitBreaker::draw_open_time(MonoTime now, Random& random) const {
  const Duration away = now - first_opened_.value_or(now);
  const Duration time =
      std::clamp(away / settings_.open_divisor, settings_.open_min, settings_.open_max);
  return random.between(time, time + time * settings_.open_jitter_percent / 100);
}

CircuitBreaker::Snapshot CircuitBreaker::snapshot(MonoTime now) const {
  Snapshot snapshot;
  snapshot.state = state_;
  snapshot.since_ago = now - since_;
  snapshot.why = why_;
  if (first_opened_) snapshot.first_opened_ago = now - *first_opened_;
  if (state_ == State::Open) snapshot.open_left = std::max(open_until_ - now, Duration::zero());
  snapshot.former_rate = former_rate_;
  snapshot.tally = tally_.snapshot(now);
  return snapshot;
}

void CircuitBreaker::restore(const Snapshot& snapshot, MonoTime now) {
  enter(snapshot.state == State::Closed ? State::Closed : State::Open);
  is_probe_out_ = false;
  since_ = now - snapshot.since_ago;
  why_ = snapshot.why;
  first_opened_.reset();
  if (snapshot.first_opened_ago) first_opened_ = now - *snapshot.first_opened_ago;
  open_until_ = now + (snapshot.state == State::Open ? snapshot.open_left : Duration::zero());
  former_rate_ = snapshot.former_rate;
  tally_.restore(snapshot.tally, now);
}

}  // namespace petrel::lane
