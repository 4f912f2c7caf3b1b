// What people order of a circuit, circuit/probe and circuit/close, as CircuitModel takes it.

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/judge/circuit_model.h"

namespace petrel::sim::judge {

void CircuitModel::probe_asked(MonoTime now) {
  for (States* const states : {&states_, &kept_}) {
    for (CircuitState& state : *states) {
      state.open_until.earliest = std::min(state.open_until.earliest, now);
    }
  }
  note(now);
}

void CircuitModel::probe_told(MonoTime now) {
  for (States* const states : {&states_, &kept_}) {
    for (CircuitState& state : *states) {
      if (state.open_until.earliest > now) continue;  // A probe failed since it was asked for.
      state.open_until.latest = std::min(state.open_until.latest, now);
    }
  }
  note(now);
}

void CircuitModel::close_asked(std::uint64_t number, std::uint64_t last_order, MonoTime now,
                               const std::vector<Guards>& guards) {
  // Where it changes nothing it is the same whether it happens or not.
  for (CircuitState& state : states_) {
    const bool is_fresh =
        state.is_closed() && state.streak == 0 && state.window.empty() && state.exhausted.empty();
    if (is_fresh && !state.counting_since) state.close_order = number;
  }
  const States before = states_;
  for (CircuitState state : before) {
    if (state.close_order == number) continue;
    state.close_order = number;
    make_room();
    if (state.is_closed()) {
      state.streak = 0;
      state.window.clear();
      state.counting_since.reset();
      state.exhausted.clear();
    } else {
      state.close(lenient_of(guards), now, last_order);
    }
    add(std::move(state));
  }
  note(now);
}

// A person who is not answered asks again and again. Of the orders that may have closed it, all but
// the first and the last few say the same.
void CircuitModel::make_room() {
  if (states_.size() < kStatesMax) return;
  const auto is_ordered = [](const CircuitState& state) { return state.close_order > 0; };
  const auto first = std::find_if(states_.begin(), states_.end(), is_ordered);
  if (first == states_.end()) return;
  const auto second = std::find_if(std::next(first), states_.end(), is_ordered);
  if (second != states_.end()) states_.erase(second);
}

void CircuitModel::close_told(std::uint64_t number) {
  std::erase_if(states_, [&](const CircuitState& state) { return state.close_order < number; });
  if (states_.empty()) states_.push_back(CircuitState{.close_order = number});
  kept_.clear();
  resumed_ = {};
  for (const CircuitState& state : states_) kept_.push_back(state.as_kept());
}

}  // namespace petrel::sim::judge
