#include "lane/lane.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace petrel::lane {
namespace {

using State = CircuitBreaker::State;
using Verdict = CircuitBreaker::Verdict;
using Answer = InFlightLimit::Answer;

Verdict verdict_of(const Lane::AttemptReport& report) {
  const policy::Outcome& outcome = report.outcome;
  if (report.is_success) return Verdict::Success;
  switch (outcome.kind()) {
    case policy::Outcome::Kind::Failed:
      return Verdict::Failure;
    case policy::Outcome::Kind::Blocked:
    case policy::Outcome::Kind::OurFault:
      return Verdict::Nothing;
    case policy::Outcome::Kind::Answered:
      break;
  }
  if (outcome.is_status(429)) return Verdict::Throttled;
  const bool is_failure = outcome.is_status(408) || outcome.status() / 100 == 5;
  return is_failure ? Verdict::Failure : Verdict::Reachable;
}

Answer answer_of(const Lane::AttemptReport& report) {
  const policy::Outcome& outcome = report.outcome;
  if (report.is_success) return Answer::Good;
  if (outcome == policy::Outcome::failed(policy::FailureKind::Timeout)) return Answer::Pushback;
  if (!outcome.is_answer()) return Answer::Other;
  switch (outcome.status()) {
    case 429:
    case 502:
    case 503:
    case 504:
      return Answer::Pushback;
    case 408:
      return Answer::Other;
    default:
      return outcome.status() / 100 == 4 ? Answer::Good : Answer::Other;
  }
}

// Without guards the limit is the maximum from the start.
InFlightSettings in_flight_settings(const LaneSettings& settings) {
  InFlightSettings limit{.max = settings.in_flight_max};
  if (!settings.is_guarded) limit.first = settings.in_flight_max;
  return limit;
}

}  // namespace

Lane::Lane(const LaneSettings& settings, MonoTime now)
    : settings_(settings),
      breaker_(settings.breaker, now),
      limit_(in_flight_settings(settings)),
      ramp_(settings.ramp, now) {
  set_rate(settings.throttle_rate, now);
}

void Lane::configure(const LaneSettings& settings, MonoTime now) {
  CHECK(settings.is_guarded == settings_.is_guarded);
  const bool was_sending = settings_.may_send;
  if (settings.throttle_rate != settings_.throttle_rate) set_rate(settings.throttle_rate, now);
  settings_ = settings;
  limit_.set_max(settings.in_flight_max);
  breaker_.configure(settings.breaker);
  ramp_.configure(settings.ramp);
  if (was_sending && !settings.may_send) {
    rate_before_pause_ = rate_lately(now);
    ramp_.stop();
  }
  follow_absent_ramp();
  // An open circuit begins its ramp when it closes.
  const bool is_resumed = !was_sending && settings.may_send;
  const bool may_ramp = settings.is_guarded && breaker_.state() == State::Closed;
  if (is_resumed && may_ramp) ramp_.start(rate_before_pause_, now);
  if (!settings.releases_after_outage) outage_.reset();
}

std::optional<Rate> Lane::rate_lately(MonoTime now) const {
  return breaker_.state() == State::Closed ? breaker_.rate(now) : breaker_.former_rate();
}

void Lane::set_rate(std::optional<int> rate, MonoTime now) {
  if (!rate) {
    bucket_.reset();
  } else if (bucket_) {
    bucket_->set_rate(Rate::per_second(*rate), now);
  } else {
    bucket_.emplace(Rate::per_second(*rate), now);
  }
}

std::optional<Lane::Ticket> Lane::try_start(MonoTime now) {
  if (!settings_.may_send || hold_.until(now)) return std::nullopt;
  if (breaker_.state() != State::Closed) {
    const auto probe_at = breaker_.next_probe_at();
    if (!probe_at || *probe_at > now) return std::nullopt;
  }
  if (limit_.is_full() || (bucket_ && bucket_->next_at(now) > now)) {
    note_wait(now);
    return std::nullopt;
  }
  if (!ramp_.try_admit(now, limit_.in_flight())) return std::nullopt;
  follow_ramp(now);

  // Each of them has just been asked, so all of them say yes.
  if (bucket_ && !bucket_->try_take(now)) return std::nullopt;
  const auto pass = breaker_.admit(now);
  const auto slot = limit_.try_acquire();
  CHECK(pass && slot);
  return Ticket{*pass, *slot};
}

// What refuses is not always what one waits for: an endpoint with a rate of its own has a token
// again long before a slow ramp lets it use that.
void Lane::note_wait(MonoTime now) {
  const bool waits_for_more =
      !settings_.may_send || hold_.until(now) || breaker_.state() != State::Closed;
  if (waits_for_more || limit_.is_full()) return;
  const MonoTime free_at = bucket_ ? bucket_->next_at(now) : now;
  if (ramp_.next_at(now, limit_.in_flight()) > free_at) ramp_.note_refusal(now);
}

bool Lane::may_depart(const Ticket& ticket, MonoTime now) const {
  return settings_.may_send && !hold_.until(now) && breaker_.is_current(ticket.pass);
}

void Lane::settle(const Ticket& ticket, const AttemptReport& report, MonoTime now, Random& random) {
  if (report.held_until) hold_.extend(*report.held_until);
  if (settings_.is_guarded) return learn(ticket, report, now, random);
  limit_.release(ticket.slot, Answer::Good);  // Whatever it was: the limit is not to learn from it.
}

void Lane::learn(const Ticket& ticket, const AttemptReport& report, MonoTime now, Random& random) {
  const State before = breaker_.state();
  const Verdict verdict = verdict_of(report);
  follow_ramp(now);  // First: if its last step is over, it ended before this attempt did.
  limit_.release(ticket.slot, answer_of(report));
  breaker_.settle(ticket.pass, verdict, now, random, report.held_until);
  // Only now: a probe that closes the circuit began before that, and counts for nothing after it.
  const bool counts = breaker_.is_current(ticket.pass);
  if (report.is_exhausted && counts) breaker_.exhausted(now, random);
  const bool is_bad = verdict == Verdict::Failure || verdict == Verdict::Throttled;
  if (verdict != Verdict::Nothing) {
    ramp_.settle(is_bad ? Ramp::Ending::Bad : Ramp::Ending::Good, now);
  }
  follow_breaker(before, now);
  count_permanent(report);
}

void Lane::exhausted(MonoTime now, Random& random) {
  if (!settings_.is_guarded) return;
  const State before = breaker_.state();
  breaker_.exhausted(now, random);
  follow_breaker(before, now);
}

void Lane::follow_ramp(MonoTime now) {
  if (ramp_.take_finished(now)) breaker_.ramp_finished();
}

// A ramp that a pause has ended will never finish: without this the next opening, hours later,
// would be taken for one more of the same outage.
void Lane::follow_absent_ramp() {
  if (breaker_.state() == State::Closed && !ramp_.step_ends_at()) breaker_.ramp_finished();
}

void Lane::follow_breaker(State before, MonoTime now) {
  const State after = breaker_.state();
  if (before == after) return;
  if (after == State::Open) ramp_.stop();
  if (after != State::Closed) return;
  ramp_.start(breaker_.former_rate(), now);
  if (!settings_.releases_after_outage) return;
  const MonoTime began = outage_ ? outage_->began : breaker_.first_opened().value_or(now);
  outage_ = Outage{.began = began, .ended = now};
}

void Lane::pass(MonoTime now, bool is_work_due) {
  ramp_.pass(now, is_work_due || limit_.in_flight() > 0);
  follow_ramp(now);
}

std::optional<Outage> Lane::outage_to_release() const {
  const bool is_back =
      settings_.may_send && breaker_.state() == State::Closed && !ramp_.step_ends_at();
  return is_back ? outage_ : std::nullopt;
}

void Lane::count_permanent(const AttemptReport& report) {
  if (report.is_success) permanent_streak_ = 0;
  if (!report.is_permanent) return;
  if (++permanent_streak_ <= settings_.permanent_streak_max) return;
  wishes_pause_ = true;
  permanent_streak_ = 0;
}

bool Lane::take_pause_wish() { return std::exchange(wishes_pause_, false); }

std::optional<MonoTime> Lane::next_at(MonoTime now) const {
  if (!settings_.may_send || limit_.is_full()) return std::nullopt;
  MonoTime next = hold_.until(now).value_or(now);
  if (breaker_.state() != State::Closed) {
    const auto probe_at = breaker_.next_probe_at();
    if (!probe_at) return std::nullopt;
    next = std::max(next, *probe_at);
  }
  if (bucket_) next = std::max(next, bucket_->next_at(now));
  return std::max(next, ramp_.next_at(now, limit_.in_flight()));
}

bool Lane::is_at_ease(MonoTime now) const {
  return breaker_.is_at_ease() && !ramp_.is_active(now) && !hold_.until(now) &&
         permanent_streak_ == 0 && !outage_ && settings_.may_send;
}

Lane::Snapshot Lane::snapshot(MonoTime now) const {
  Snapshot snapshot{.breaker = breaker_.snapshot(now),
                    .ramp = ramp_to_keep(now).snapshot(now),
                    .hold_left = hold_.until(now).value_or(now) - now,
                    .in_flight_limit = limit_.limit(),
                    .permanent_streak = permanent_streak_};
  if (outage_) snapshot.outage = {now - outage_->began, now - outage_->ended};
  return snapshot;
}

// Whoever takes over from a lane that is paused, and may send, goes on after the pause: it was
// resumed meanwhile, or the pause did not get through.
Ramp Lane::ramp_to_keep(MonoTime now) const {
  Ramp ramp = ramp_;
  const bool may_ramp = settings_.is_guarded && breaker_.state() == State::Closed;
  if (!settings_.may_send && may_ramp) ramp.start(rate_before_pause_, now);
  return ramp;
}

void Lane::restore(Snapshot snapshot, Duration away, MonoTime now) {
  CHECK(limit_.in_flight() == 0);
  away = std::max(away, Duration::zero());
  Duration& open_left = snapshot.breaker.open_left;
  open_left = std::max(open_left - away, Duration::zero());
  snapshot.breaker.since_ago += away;
  if (snapshot.breaker.first_opened_ago) *snapshot.breaker.first_opened_ago += away;
  for (Duration& ago : snapshot.breaker.tally.exhausted_ago) ago += away;
  if (snapshot.breaker.tally.last_success_ago) *snapshot.breaker.tally.last_success_ago += away;
  breaker_.restore(snapshot.breaker, now);
  ramp_.restore(snapshot.ramp, now);
  if (breaker_.state() != State::Closed || !settings_.may_send) ramp_.stop();
  follow_absent_ramp();
  hold_.release();
  if (snapshot.hold_left > away) hold_.extend(now + (snapshot.hold_left - away));
  limit_.start_at(snapshot.in_flight_limit);
  permanent_streak_ = snapshot.permanent_streak;
  outage_.reset();
  if (snapshot.outage && settings_.releases_after_outage) {
    outage_ = Outage{.began = now - (snapshot.outage->began_ago + away),
                     .ended = now - (snapshot.outage->ended_ago + away)};
  }
}

void Lane::probe_now(MonoTime now) {
  hold_.release();
  breaker_.probe_now(now);
}

void Lane::force_close(MonoTime now) {
  const State before = breaker_.state();
  hold_.release();
  breaker_.force_close(now);
  follow_breaker(before, now);
}

std::string Lane::explain(MonoTime now) const {
  if (!settings_.may_send) return "endpoint paused";
  // Of a circuit that is open and a hold, the one that lasts longer is what it waits for.
  const auto held_until = hold_.until(now);
  const auto probe_at = breaker_.next_probe_at();
  if (held_until && probe_at && *held_until > *probe_at) return hold_.explain(now);
  if (std::string why = breaker_.explain(now); !why.empty()) return why;
  if (std::string why = hold_.explain(now); !why.empty()) return why;
  if (std::string why = limit_.explain(now); !why.empty()) return why;
  if (bucket_) {
    if (std::string why = bucket_->explain(now); !why.empty()) return why;
  }
  return ramp_.explain(now, limit_.in_flight());
}

}  // namespace petrel::lane
