// How lanes leave a Core: at rest, deleted, or because they go on elsewhere.

#include <algorithm>
#include <utility>

#include "engine/core.h"

namespace petrel::engine {

void Core::release(EndpointId endpoint) {
  LaneState& state = lane_of(endpoint);
  state.is_leaving = true;
  wake(state);
}

void Core::forget_payloads(EndpointId endpoint) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end()) return;
  ++found->second->start_edition;
  for (DueQueue& queue : found->second->queues) queue.forget_payloads();
}

// Nothing that the transport or the store has still to answer for.
bool Core::has_nothing_outstanding(const LaneState& state) const {
  const bool is_loading = std::any_of(state.queues.begin(), state.queues.end(),
                                      [](const DueQueue& queue) { return queue.is_loading(); });
  return state.out_since.empty() && state.unsettled == 0 && !is_loading;
}

// When the lane may leave, if nothing happens before. Empty if it has something to do, or something
// to wait for. One that has nothing to do stays for as long as its history is worth looking at.
std::optional<MonoTime> Core::rests_at(const LaneState& state, const Now& now) const {
  if (!has_nothing_outstanding(state)) return std::nullopt;
  if (state.is_leaving) return now.mono;
  const bool has_work = std::any_of(state.queues.begin(), state.queues.end(),
                                    [](const DueQueue& queue) { return !queue.is_empty(); });
  if (has_work) return std::nullopt;
  if (state.config.is_deleted) return now.mono;
  // What is still busy without being outstanding was refused by the store, and is left alone.
  const bool has_plans = state.release || state.guard.outage_to_release() ||
                         state.is_pause_wanted || state.guard.ramp_step_ends_at() ||
                         !state.busy.empty();
  if (has_plans) return std::nullopt;
  return state.history.over_at().value_or(now.mono);
}

void Core::leave(LaneState& state, const Now& now, Commands& commands) {
  const EndpointId endpoint = state.config.endpoint;
  LaneLeft left{.endpoint = endpoint,
                .application = state.config.application,
                .kept = std::nullopt,
                .is_at_ease = state.guard.is_at_ease(now.mono)};
  const bool has_succeeded = state.guard.breaker().last_success().has_value();
  if (!left.is_at_ease || has_succeeded) {
    left.kept = store::KeptLane{state.guard.snapshot(now.mono), now.wall};
  }
  commands.left.push_back(std::move(left));
  set_timer(state, std::nullopt);
  want_no_slot(state);
  leave_authority(state);
  lanes_.erase(endpoint);
}

}  // namespace petrel::engine
