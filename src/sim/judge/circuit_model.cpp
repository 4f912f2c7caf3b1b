#include "sim/judge/circuit_model.h"

#include <algorithm>
#include <utility>

namespace petrel::sim::judge {
namespace {

using Phase = CircuitState::Phase;

constexpr std::size_t kHistoryMax = 256;

constexpr Duration kOpenLongest =
    figures::kOpenTimeMax + figures::kOpenTimeMax * figures::kOpenJitterPercent / 100;

// It was let go before a late loop took up what opened the circuit.
bool is_late(const CircuitState& state, const CircuitModel::Start& start) {
  return start.latest <= state.opened_by && start.latest < state.open_until.earliest;
}

bool admits(const CircuitState& state, const CircuitModel::Start& start) {
  switch (state.phase) {
    case Phase::Closed:
      return true;
    case Phase::Open:
      return is_late(state, start) || start.latest >= state.open_until.earliest;
    case Phase::Probing:
      break;
  }
  return false;
}

bool admits_in_flight(const CircuitState& state, const CircuitModel::Start& start) {
  if (!state.ramp || !state.is_closed() || state.ramp->may_be_over(start.latest)) return true;
  return start.in_flight <= state.ramp->in_flight_max();
}

bool admits_rate(const CircuitState& state, const CircuitModel::Start& start) {
  if (!state.ramp || !state.is_closed() || state.ramp->may_be_over(start.latest)) return true;
  return start.earliest < state.ramp->began() || state.ramp->fits(start.earliest, start.latest);
}

// A hold of no length is none. By some policy that may hold it may be one, and by another not.
Span held_or_open(const Span& held, const Span& open, const Span& now) {
  if (held.latest <= now.latest) return open;
  if (held.earliest > now.earliest) return held;
  return {held.earliest, std::max(held.latest, open.latest)};
}

Guards strict_of(const std::vector<Guards>& guards) {
  Guards strict = guards.front();
  for (const Guards& each : guards) {
    strict.open_time = std::max(strict.open_time, each.open_time);
    strict.open_time_max = std::max(strict.open_time_max, each.open_time_max);
  }
  return strict;
}

}  // namespace

Guards lenient_of(const std::vector<Guards>& guards) {
  Guards lenient = guards.front();
  for (const Guards& each : guards) {
    lenient.open_time = std::min(lenient.open_time, each.open_time);
    lenient.open_time_max = std::min(lenient.open_time_max, each.open_time_max);
    lenient.ramp_step = std::min(lenient.ramp_step, each.ramp_step);
    lenient.ramp_percent = std::max(lenient.ramp_percent, each.ramp_percent);
    lenient.ramp_in_flight = std::max(lenient.ramp_in_flight, each.ramp_in_flight);
    lenient.ramp_divisor = std::min(lenient.ramp_divisor, each.ramp_divisor);
  }
  return lenient;
}

CircuitModel::Objection CircuitModel::objection(const Start& start) const {
  Objection least = Objection::Circuit;
  for (const CircuitState& state : states_) {
    if (!admits(state, start)) continue;
    if (!admits_in_flight(state, start)) {
      if (least == Objection::Circuit) least = Objection::RampInFlight;
      continue;
    }
    if (admits_rate(state, start)) return Objection::None;
    least = Objection::RampRate;
  }
  return least;
}

void CircuitModel::started(const Start& start) {
  if (objection(start) == Objection::None) {
    std::erase_if(states_, [&](const CircuitState& state) {
      return !admits(state, start) || !admits_in_flight(state, start) || !admits_rate(state, start);
    });
  }
  for (CircuitState& state : states_) {
    if (state.phase == Phase::Open && admits(state, start)) {
      if (is_late(state, start)) continue;
      state.phase = Phase::Probing;
      state.probe = start.order;
    } else if (state.is_closed() && state.ramp && start.earliest >= state.ramp->began()) {
      state.ramp->took(start.earliest, start.latest);
    }
  }
  note(start.latest);
}

void CircuitModel::ended(const End& end, const std::vector<Guards>& guards) {
  for (CircuitState& state : std::exchange(states_, {})) {
    for (std::size_t i = 1; i < end.verdicts.size(); ++i)
      settle(state, end, end.verdicts[i], guards);
    settle(std::move(state), end, end.verdicts.front(), guards);
  }
  note(end.now, end.order);
}

void CircuitModel::settle(CircuitState state, const End& end, Verdict verdict,
                          const std::vector<Guards>& guards) {
  const bool is_bad = verdict == Verdict::Failure || verdict == Verdict::Throttled;
  if (state.ramp && verdict != Verdict::Nothing) state.ramp->ended(is_bad, end.now);
  if (state.phase == Phase::Probing && state.probe == end.order) {
    return settle_probe(std::move(state), end, verdict, guards);
  }
  if (!state.is_closed() || end.order <= state.changed_order) return add(std::move(state));
  state.count(verdict, end.now);
  state.follow_pause(end.now);
  CircuitState::Opens opens{verdict == Verdict::Failure, false};
  for (const Guards& each : guards) {
    const CircuitState::Opens one = state.opens(each, end.now, lateness_);
    opens.must = opens.must && one.must;
    opens.may = opens.may || (verdict == Verdict::Failure && one.may);
  }
  if (opens.may) add_opened(state, {end.now, end.now + lateness_}, end.last_order, guards);
  if (!opens.must) add(std::move(state));
}

void CircuitModel::settle_probe(CircuitState state, const End& end, Verdict verdict,
                                const std::vector<Guards>& guards) {
  const Span now{end.now, end.now + lateness_};
  switch (verdict) {
    case Verdict::Success:
    case Verdict::Reachable:
      state.close(lenient_of(guards), end.now, end.last_order);
      state.count(verdict, end.now);
      return add(std::move(state));
    case Verdict::Throttled:
    case Verdict::Failure:
      add_opened(state, now, end.last_order, guards);
      if (verdict == Verdict::Throttled && end.held_until) {
        states_.back().open_until = held_or_open(*end.held_until, states_.back().open_until, now);
      }
      return;
    case Verdict::Nothing:
      state.phase = Phase::Open;
      state.open_until = now;
      return add(std::move(state));
  }
}

void CircuitModel::add_opened(const CircuitState& state, Span when, std::uint64_t last_order,
                              const std::vector<Guards>& guards) {
  CircuitState opened = state;
  opened.open(lenient_of(guards), strict_of(guards), when, last_order);
  states_.push_back(std::move(opened));
}

void CircuitModel::add(CircuitState state) {
  const auto same = [&](const CircuitState& each) { return each.is_like(state); };
  if (states_.size() >= kStatesMax || std::any_of(states_.begin(), states_.end(), same)) return;
  states_.push_back(std::move(state));
}

void CircuitModel::given_up(const GivenUp& given_up, const std::vector<Guards>& guards) {
  for (CircuitState& state : std::exchange(states_, {})) {
    const bool counts = state.is_closed() && given_up.order.value_or(~0ULL) > state.changed_order;
    if (!counts) {
      add(std::move(state));
      continue;
    }
    if (state.last_success && *state.last_success >= given_up.when.earliest) {
      add(std::move(state));
      continue;
    }
    state.exhausted.push_back(given_up.when.earliest);
    // With an attempt it was given up when that ended, which is judged already but for this.
    const auto opens_at = [&](const Guards& each, MonoTime at) {
      return given_up.order ? state.opens_by_exhaustion(each, at, lateness_)
                            : state.opens(each, at, lateness_);
    };
    CircuitState::Opens opens{true, false};
    for (const Guards& each : guards) {
      const auto one = opens_at(each, given_up.when.latest);
      const auto first = opens_at(each, given_up.when.earliest);
      opens.must = opens.must && one.must && first.must;
      const bool may = state.opens(each, given_up.when.earliest, lateness_).may;
      opens.may = opens.may || one.may || first.may || may;
    }
    if (opens.may) add_opened(state, given_up.when, given_up.last_order, guards);
    if (!opens.must) add(std::move(state));
  }
  note(given_up.when.latest);
}

void CircuitModel::may_pause(MonoTime now) {
  for (CircuitState& state : states_) {
    state.rate_before_pause = 0;
    state.may_pause = true;
    state.follow_pause(now);
    state.has_resumed = false;
  }
  resumed_ = {};
}

void CircuitModel::has_paused() {
  const States before = std::exchange(states_, {});
  for (CircuitState state : before) {
    state.may_pause = false;
    state.has_resumed = false;  // A resume that was asked for did not happen.
    if (state.is_closed()) state.finish_ramp();
    add(std::move(state));
  }
}

void CircuitModel::may_resume(MonoTime now, const std::vector<Guards>& guards) {
  const States before = states_;
  for (CircuitState state : before) {
    state.has_resumed = true;
    state.may_pause = false;
    if (state.is_closed()) {
      state.ramp.emplace(lenient_of(guards), state.rate_before_pause, now);
      if (state.first_opened) state.first_opened->latest = now;  // If it was paused.
    }
    add(std::move(state));
  }
  resumed_.may_be = true;
  note(now);
}

void CircuitModel::has_resumed(MonoTime now) {
  resumed_ = {.may_be = true, .surely_by = now};
  std::erase_if(states_, [](const CircuitState& state) { return !state.has_resumed; });
  if (states_.empty()) states_.push_back(CircuitState{});
}

void CircuitModel::note(MonoTime at, std::uint64_t order) {
  States kept;
  for (CircuitState& state : states_) {
    auto window = std::exchange(state.window, {});
    kept.push_back(state.as_kept());
    state.window = std::move(window);
  }
  history_.push_back({at, order, std::move(kept)});
  if (history_.size() > kHistoryMax) history_.pop_front();
}

void CircuitModel::recorded(std::uint64_t order, std::optional<MonoTime> handed_over) {
  auto first = std::find_if(history_.cbegin(), history_.cend(),
                            [&](const Note& each) { return each.order == order; });
  if (handed_over && first != history_.end()) first = last_note_by(first, *handed_over);
  kept_.clear();
  resumed_ = {};
  const auto keep = [&](const States& states) {
    for (const CircuitState& state : states) {
      const auto same = [&](const CircuitState& each) {
        const bool is_as_far =
            !state.ramp || !each.ramp || each.ramp->in_flight_max() == state.ramp->in_flight_max();
        return is_as_far && each.is_like(state);
      };
      if (std::none_of(kept_.begin(), kept_.end(), same)) kept_.push_back(state);
    }
  };
  const bool is_known = first != history_.end();
  for (; first != history_.end(); ++first) keep(first->states);
  // A step of the ramp that is over since the last note is in none of them.
  if (is_known) keep(states_);
  if (kept_.empty()) kept_ = history_.empty() ? States{CircuitState{}} : history_.back().states;
}

// The last one that a loop must have taken up by then; at least `first`.
CircuitModel::History::const_iterator CircuitModel::last_note_by(History::const_iterator first,
                                                                 MonoTime now) const {
  const auto is_later = [&](const Note& each) { return each.at + lateness_ > now; };
  const auto after = std::find_if(std::next(first), history_.end(), is_later);
  return std::prev(after);
}

void CircuitModel::recorded_unsent() {
  for (const CircuitState& state : states_) {
    const auto same = [&](const CircuitState& each) { return each.is_like(state); };
    const bool is_known = std::any_of(kept_.begin(), kept_.end(), same);
    if (!is_known && kept_.size() < kStatesMax) kept_.push_back(state.as_kept());
  }
}

void CircuitModel::restarted(MonoTime now, std::uint64_t last_order, const TwoClocks& clocks,
                             const std::vector<Guards>& guards) {
  states_ = kept_;  // All of them: while the store was slow, each may be what was written.
  for (CircuitState& state : states_) {
    state.changed_order = last_order;
    state.opened_by = MonoTime::min();
    if (state.ramp) state.ramp->restarted(now);
    if (state.is_closed()) continue;
    // The probe is lost: another goes at once.
    if (state.phase == Phase::Probing) state.open_until = {now, now};
    state.phase = Phase::Open;
    if (!clocks.was_set()) continue;
    // What is kept goes by the wall clock.
    if (state.first_opened) state.first_opened = {MonoTime{}, now};
    state.open_until.earliest = std::min(state.open_until.earliest, now);
    state.open_until.latest = std::max(state.open_until.latest, now + kOpenLongest);
  }
  // A lane that was paused when it was written, and may send now, begins with a ramp, also if one
  // came to its end since.
  for (CircuitState state : States(states_)) {
    const bool may_ramp = resumed_.may_be || !state.has_resumed;
    if (!may_ramp || !state.is_closed()) continue;
    state.ramp.emplace(lenient_of(guards), state.rate_before_pause, now);
    add(std::move(state));
  }
  // The first step of a ramp that has just begun cannot be over.
  const bool must_ramp = resumed_.surely_by && !clocks.was_set() &&
                         now - *resumed_.surely_by < lenient_of(guards).ramp_step;
  if (must_ramp) {
    std::erase_if(states_, [](const auto& state) { return state.is_closed() && !state.ramp; });
  }
  history_.clear();
  note(now);
}

void CircuitModel::rested() {
  const States before = states_;
  for (CircuitState& state : states_) state.counting_since.reset();
  for (const CircuitState& state : before) {
    if (!state.window.empty()) add(state.as_kept());
  }
}

void CircuitModel::may_have_moved() {
  for (const CircuitState& state : States(states_)) {
    if (!state.window.empty()) add(state.as_kept());
  }
}

void CircuitModel::was_busy(MonoTime now) {
  for (CircuitState& state : states_) {
    if (state.ramp) state.ramp->was_busy(now);
  }
}

void CircuitModel::was_pressed(MonoTime since, MonoTime now) {
  for (CircuitState& state : states_) {
    if (state.ramp) state.ramp->was_pressed(since, now);
  }
}

void CircuitModel::pass(MonoTime now, Duration slack) {
  bool has_finished = false;
  for (CircuitState& state : states_) {
    if (!state.ramp) continue;
    state.ramp->pass(now);
    if (!state.ramp->must_be_over(now, slack)) continue;
    state.finish_ramp();
    has_finished = true;
  }
  if (!has_finished) return;
  for (CircuitState& state : std::exchange(states_, {})) add(std::move(state));
}

void CircuitModel::released() {
  for (CircuitState& state : states_) state.outage.reset();
}

bool CircuitModel::may_be_closed() const {
  return std::any_of(states_.begin(), states_.end(), [](auto& state) { return state.is_closed(); });
}

bool CircuitModel::may_be_open() const {
  return std::any_of(states_.begin(), states_.end(),
                     [](auto& state) { return !state.is_closed(); });
}

bool CircuitModel::may_ramp() const {
  return std::any_of(states_.begin(), states_.end(),
                     [](auto& state) { return state.ramp.has_value(); });
}

}  // namespace petrel::sim::judge
