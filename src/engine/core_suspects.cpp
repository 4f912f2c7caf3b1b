// How a Core keeps apart what was in flight at crashes; see suspect_list.h.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/core.h"

namespace petrel::engine {
namespace {

bool is_apart(Suspicion suspicion) {
  return suspicion == Suspicion::Alone || suspicion == Suspicion::Barred;
}

}  // namespace

// Out of the queues comes what would keep the others from going, and back what goes like them by
// now.
void Core::set_apart(LaneState& state) {
  put_back(state, false);
  if (!has_suspects()) return;
  for (DueQueue& queue : state.queues) {
    std::vector<const Waiting*> found;
    for (const auto& [position, waiting] : queue.window()) {
      if (is_apart(settings_.suspects->of(waiting.delivery.key))) found.push_back(&waiting);
    }
    for (const Waiting* const waiting : found) {
      state.busy.insert(waiting->delivery.key.message);
      state.apart.push_back(queue.take(*waiting));
    }
  }
}

void Core::put_back(LaneState& state, bool all) {
  for (Waiting& waiting : std::exchange(state.apart, {})) {
    const model::DeliveryKey& key = waiting.delivery.key;
    if (!all && has_suspects() && is_apart(settings_.suspects->of(key))) {
      state.apart.push_back(std::move(waiting));
      continue;
    }
    state.busy.erase(key.message);
    state.queue_of(waiting.delivery.state).add(std::move(waiting));
  }
}

// The one that is due first of those that may go when they have the turn. Null if there is none, or
// another has the turn: then suspects_may_go() brings the lane back.
const Waiting* Core::first_apart(const LaneState& state) const {
  const Waiting* first = nullptr;
  for (const Waiting& waiting : state.apart) {
    const bool is_sooner = first == nullptr || waiting.due < first->due;
    const bool may_go = settings_.suspects->of(waiting.delivery.key) == Suspicion::Alone;
    if (is_sooner && may_go) first = &waiting;
  }
  return first != nullptr && settings_.suspects->is_turn_free() ? first : nullptr;
}

bool Core::may_go_apart(const model::DeliveryKey& delivery) {
  return settings_.suspects->take_turn(delivery);
}

Waiting Core::take(LaneState& state, const Candidate& next) {
  if (next.queue != nullptr) return next.queue->take(*next.waiting);
  const auto place = state.apart.begin() + (next.waiting - state.apart.data());
  Waiting taken = std::move(*place);
  state.apart.erase(place);
  state.busy.erase(taken.delivery.key.message);
  return taken;
}

void Core::suspect_ended(const model::DeliveryKey& delivery, bool is_cleared) {
  if (!has_suspects() || settings_.suspects->of(delivery) == Suspicion::None) return;
  const bool had_turn = settings_.suspects->give_turn_back(delivery);
  if (is_cleared) settings_.suspects->clear(delivery);
  suspects_ended_.push_back({delivery, had_turn, is_cleared});
}

void Core::suspects_may_go() {
  for (const auto& [endpoint, state] : lanes_) {
    if (!state->apart.empty()) wake(*state);
  }
}

bool Core::is_outstanding(const model::DeliveryKey& delivery) const {
  const LaneState* const state = lane(delivery.endpoint);
  return state != nullptr && state->busy.contains(delivery.message);
}

}  // namespace petrel::engine
