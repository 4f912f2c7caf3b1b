// How what failed in an outage is made due when the receiver is back; see release.h.

#include <algorithm>
#include <utility>

#include "engine/core.h"
#include "engine/release.h"

namespace petrel::engine {
namespace {

// Before a circuit opens, some have failed that counted towards it.
constexpr Duration kBeforeOpening = std::chrono::seconds(60);

constexpr Duration kReadPause = std::chrono::milliseconds(500);

Release::Window window_of(const lane::Outage& outage, const Now& now) {
  const auto wall_at = [&](MonoTime moment) { return now.wall - (now.mono - moment); };
  return {.from = wall_at(outage.began) - kBeforeOpening, .to = wall_at(outage.ended)};
}

bool is_release(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  return !settlement.attempt && delivery.is_live() && delivery.next &&
         delivery.next->released_from && delivery.due_at < *delivery.next->released_from;
}

}  // namespace

void Core::run_release(LaneState& state, const Now& now, Commands& commands) {
  if (state.release && state.release->is_failed()) return;  // The store's answers end it.
  const auto outage = state.guard.outage_to_release();
  if (!outage) return state.release.reset();
  if (!state.release) state.release = std::make_unique<Release>(window_of(*outage, now));
  const std::size_t room = unsent_ < kUnsentMax ? kUnsentMax - unsent_ : 0;
  for (const model::Delivery& delivery : state.release->take_batch(room)) {
    // It may have gone out, or become due by itself, since it was read.
    if (state.busy.contains(delivery.key.message) || delivery.due_at <= now.wall) {
      state.release->settled(delivery.key.message);
    } else {
      reschedule(state, release_of(delivery, now.wall), now);
    }
  }
  for (store::DueQuery& query : state.release->take_queries(state.config.endpoint, room)) {
    commands.release_loads.push_back(std::move(query));
  }
  if (!state.release->is_through()) return;
  state.guard.release_through();
  state.release.reset();
}

// What was released and has not gone out yet waits as long as it would have. What is still being
// released is taken back when the store has answered.
void Core::stop_release(LaneState& state, const Now& now) {
  for (const auto& [message, delivery] : state.release->take_ahead()) {
    if (!state.busy.contains(message)) reschedule(state, taken_back(delivery), now);
  }
  state.guard.release_through();
  if (!state.release->is_writing()) state.release.reset();
}

// It is out of the queue until the store says where it stands now.
void Core::reschedule(LaneState& state, model::Settlement settlement, const Now& now) {
  const model::Delivery& delivery = settlement.delivery;
  state.busy.insert(delivery.key.message);
  for (DueQueue& queue : state.queues) queue.remove(delivery.key.message);
  const MonoTime due = now.mono_at(delivery.due_at);
  settle_later({.settlement = std::move(settlement), .due = due});
}

void Core::release_loaded(const store::DueQuery& query, const Result<store::DuePage>& page,
                          const Now& now) {
  const auto found = lanes_.find(query.endpoint);
  if (found == lanes_.end() || !found->second->release) return;
  LaneState& state = *found->second;
  if (page.ok()) {
    state.release->loaded(query, *page, now.wall, state.busy);
    return wake(state);
  }
  state.release->load_failed(query);
  const MonoTime again_at = now.mono + kReadPause;
  if (!state.timer || *state.timer > again_at) set_timer(state, again_at);
}

void Core::note_released_attempt(LaneState& state, const model::Delivery& before,
                                 model::DeliveryState after, const Now& now) {
  if (!before.next || before.next->basis != model::NextBasis::Release) return;
  if (state.release->is_failed()) return;
  state.release->ended(after == model::DeliveryState::Delivered);
  if (state.release->is_failed()) stop_release(state, now);
}

// The release hears what became of it. True if that came too late: the release has failed
// meanwhile, and what was made due is to be taken back.
bool Core::tell_release(LaneState& state, const model::Settlement& settlement,
                        SettleAnswer answer) {
  if (!state.release) return false;
  const bool is_released = answer == SettleAnswer::Taken && is_release(settlement);
  if (is_released) {
    state.release->written(settlement.delivery);
  } else {
    state.release->settled(settlement.delivery.key.message);
  }
  if (!state.release->is_failed()) return false;
  if (!state.release->is_writing()) state.release.reset();
  return is_released;
}

}  // namespace petrel::engine
