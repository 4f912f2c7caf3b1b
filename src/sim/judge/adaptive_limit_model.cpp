#include "sim/judge/adaptive_limit_model.h"

#include <algorithm>
#include <utility>

#include "sim/judge/figures.h"

namespace petrel::sim::judge {
namespace {

// Beyond so many only the largest and the smallest are followed.
constexpr std::size_t kStatesMax = 64;
constexpr std::size_t kHistoryMax = 256;

}  // namespace

AdaptiveLimitModel::AdaptiveLimitModel(Max max) : max_(max) { start_afresh(); }

void AdaptiveLimitModel::start_afresh() {
  add({.limit = std::min(figures::kAdaptiveFirst, max_.smallest)});
  add({.limit = std::min(figures::kAdaptiveFirst, max_.largest)});
}

void AdaptiveLimitModel::add(State state) {
  if (std::count(states_.begin(), states_.end(), state) == 0) states_.push_back(state);
}

void AdaptiveLimitModel::note(MonoTime now) {
  history_.push_back({now, largest()});
  if (history_.size() > kHistoryMax) history_.pop_front();
}

int AdaptiveLimitModel::largest_since(MonoTime since) const {
  int most = largest();
  for (auto note = history_.rbegin(); note != history_.rend() && note->until >= since; ++note) {
    most = std::max(most, note->largest);
  }
  return most;
}

void AdaptiveLimitModel::set_max(Max max, MonoTime now) {
  if (max == max_) return;
  note(now);
  max_ = max;
  for (State state : std::exchange(states_, {})) {
    for (const int limit :
         {std::min(state.limit, max.smallest), std::min(state.limit, max.largest)}) {
      state.limit = limit;
      add(state);
      add({.limit = limit, .good = 0, .halved = state.halved});
    }
  }
  for (int& limit : kept_) limit = std::min(limit, max.largest);
}

void AdaptiveLimitModel::ended(const Ended& ended, Load load) {
  if (load == Load::Nothing) return;
  if (load == Load::Pushback) note(ended.now);
  for (const State& state : std::exchange(states_, {})) {
    const bool may_count = !state.halved || ended.latest >= *state.halved;
    const bool must_count = !state.halved || ended.earliest > *state.halved;
    if (may_count) count(state, load, ended.now);
    if (!must_count) add(state);
  }
  if (states_.size() <= kStatesMax) return;
  const auto less = [](const State& a, const State& b) {
    return std::pair(a.limit, a.good) < std::pair(b.limit, b.good);
  };
  const auto [least, most] = std::minmax_element(states_.begin(), states_.end(), less);
  states_ = {*least, *most};
}

void AdaptiveLimitModel::count(State state, Load load, MonoTime now) {
  if (load == Load::Pushback) {
    state.limit = std::max(1, state.limit / 2);
    state.good = 0;
    state.halved = now;
    return add(state);
  }
  if (++state.good < state.limit) return add(state);
  state.good = 0;
  for (const int most : {max_.smallest, max_.largest}) {
    State grown = state;
    grown.limit = std::max(state.limit, std::min(state.limit + 1, most));
    add(grown);
  }
}

void AdaptiveLimitModel::kept() {
  for (const State& state : states_) {
    if (std::count(kept_.begin(), kept_.end(), state.limit) == 0) kept_.push_back(state.limit);
  }
}

void AdaptiveLimitModel::restarted() {
  states_.clear();
  start_afresh();
  for (const int limit : kept_) add({.limit = std::clamp(limit, 1, max_.largest)});
}

void AdaptiveLimitModel::rested() {
  for (const State& state : std::vector(states_)) add({.limit = state.limit});
  start_afresh();
  kept();
}

int AdaptiveLimitModel::largest() const {
  int largest = 1;
  for (const State& state : states_) largest = std::max(largest, state.limit);
  return largest;
}

int AdaptiveLimitModel::smallest() const {
  int smallest = states_.front().limit;
  for (const State& state : states_) smallest = std::min(smallest, state.limit);
  return smallest;
}

}  // namespace petrel::sim::judge
