#include "sim/judge/circuit_state.h"

#include <algorithm>

namespace petrel::sim::judge {
namespace {

// An eighth of the time since the first opening, within the bounds.
Duration open_time(const Guards& guards, Duration away) {
  return std::clamp(away / figures::kOpenPart, guards.open_time, guards.open_time_max);
}

CircuitState::Opens streak_opens(const CircuitState& state, const Guards& guards, MonoTime now,
                                 Duration lateness) {
  if (state.streak < guards.open_after) return {};
  if (!state.last_success) return {true, true};
  const Duration age = now - *state.last_success;
  return {age - lateness >= figures::kStreakGrace, age + lateness >= figures::kStreakGrace};
}

// The window is kept in whole seconds, and the loop may be late: so every length in between counts.
CircuitState::Opens window_opens(const CircuitState& state, const Guards& guards, MonoTime now,
                                 Duration lateness) {
  const MonoTime oldest = now - guards.open_window - lateness;
  const MonoTime newest = now - guards.open_window + figures::kWindowGrain + lateness;
  auto first = std::lower_bound(state.window.begin(), state.window.end(), oldest,
                                [](const auto& ending, MonoTime time) { return ending.at < time; });
  auto attempts = state.window.end() - first;
  auto failures =
      std::count_if(first, state.window.end(), [](auto& each) { return each.is_failure; });
  CircuitState::Opens opens{true, false};
  while (true) {
    const bool is_enough = attempts >= guards.open_window_attempts &&
                           failures * 100 >= attempts * guards.open_window_percent;
    opens.must = opens.must && is_enough;
    opens.may = opens.may || is_enough;
    if (first == state.window.end() || first->at > newest) return opens;
    --attempts;
    failures -= first->is_failure ? 1 : 0;
    ++first;
  }
}

CircuitState::Opens exhausted_opens(const CircuitState& state, const Guards& guards, MonoTime now,
                                    Duration lateness) {
  const auto within = [&](Duration window) {
    return std::count_if(state.exhausted.begin(), state.exhausted.end(),
                         [&](MonoTime at) { return at > now - window; });
  };
  const auto none_since = [&](Duration window) {
    return !state.last_success || now - *state.last_success >= window;
  };
  const Duration window = guards.open_exhausted_window;
  const bool must =
      within(window - lateness) >= guards.open_exhausted && none_since(window + lateness);
  const bool may =
      within(window + lateness) >= guards.open_exhausted && none_since(window - lateness);
  return {must, may};
}

}  // namespace

double CircuitState::rate(MonoTime now) const {
  if (!counting_since) return 0;
  const auto count = std::count_if(window.begin(), window.end(), [&](const Ending& ending) {
    return ending.at > now - figures::kFormerWindow;
  });
  const Duration length =
      std::clamp<Duration>(now - *counting_since, figures::kFormerMin, figures::kFormerWindow);
  return static_cast<double>(count) / std::chrono::duration<double>(length).count();
}

void CircuitState::follow_pause(MonoTime now) {
  if (!may_pause) return;
  rate_before_pause = std::max(rate_before_pause, is_closed() ? rate(now) : former_rate);
}

CircuitState::Opens CircuitState::opens(const Guards& guards, MonoTime now,
                                        Duration lateness) const {
  Opens result;
  for (const Opens& each :
       {streak_opens(*this, guards, now, lateness), window_opens(*this, guards, now, lateness),
        exhausted_opens(*this, guards, now, lateness)}) {
    result.must = result.must || each.must;
    result.may = result.may || each.may;
  }
  return result;
}

CircuitState::Opens CircuitState::opens_by_exhaustion(const Guards& guards, MonoTime now,
                                                      Duration lateness) const {
  return exhausted_opens(*this, guards, now, lateness);
}

void CircuitState::count(Verdict verdict, MonoTime now) {
  if (verdict == Verdict::Throttled || verdict == Verdict::Nothing) return;
  const bool is_failure = verdict == Verdict::Failure;
  streak = is_failure ? streak + 1 : 0;
  if (verdict == Verdict::Success) {
    last_success = now;
    exhausted.clear();
  }
  if (!counting_since) counting_since = now;
  window.push_back({now, is_failure});
  // Windows have at most an hour.
  while (window.front().at < now - std::chrono::hours(1)) window.pop_front();
}

void CircuitState::open(const Guards& least, const Guards& most, Span from,
                        std::uint64_t last_order) {
  if (phase == Phase::Closed) {
    former_rate = std::max(rate(from.earliest), rate(from.latest));
    if (may_pause) rate_before_pause = std::max(rate_before_pause, former_rate);
    const bool may_start_over = !ramp || ramp->may_be_over(from.latest);
    if (!first_opened) {
      first_opened = from;
    } else if (may_start_over) {
      first_opened->latest = from.latest;
    }
    // What failed in the outage before may have been released by then.
    if (outage && may_start_over) outage->began.latest = from.latest;
    streak = 0;
    window.clear();
    counting_since.reset();
    exhausted.clear();
    ramp.reset();
    opened_by = from.latest;
  }
  phase = Phase::Open;
  changed_order = last_order;
  const Duration shortest =
      open_time(least, std::max(Duration::zero(), from.earliest - first_opened->latest));
  const Duration longest = open_time(most, from.latest - first_opened->earliest);
  open_until.earliest = from.earliest + shortest;
  open_until.latest = from.latest + longest + longest * figures::kOpenJitterPercent / 100;
}

void CircuitState::close(const Guards& lenient, MonoTime now, std::uint64_t last_order) {
  phase = Phase::Closed;
  changed_order = last_order;
  streak = 0;
  window.clear();
  counting_since.reset();
  exhausted.clear();
  ramp.emplace(lenient, former_rate, now);
  if (!first_opened) return;
  if (!outage) outage = Outage{.began = *first_opened, .ended = now};
  outage->ended = now;
}

void CircuitState::finish_ramp() {
  ramp.reset();
  first_opened.reset();
}

CircuitState CircuitState::as_kept() const {
  CircuitState kept = *this;
  kept.window.clear();
  kept.counting_since.reset();
  return kept;
}

bool CircuitState::is_like(const CircuitState& other) const {
  const bool same_ramp =
      ramp.has_value() == other.ramp.has_value() && (!ramp || ramp->began() == other.ramp->began());
  return phase == other.phase && changed_order == other.changed_order && streak == other.streak &&
         open_until == other.open_until && probe == other.probe && same_ramp &&
         close_order == other.close_order && has_resumed == other.has_resumed &&
         window.size() == other.window.size() && exhausted.size() == other.exhausted.size() &&
         last_success == other.last_success && first_opened == other.first_opened;
}

}  // namespace petrel::sim::judge
