// How the lanes of a Core come by slots, which all shards share, and wait for them.

#include <utility>

#include "base/check.h"
#include "engine/core.h"

namespace petrel::engine {
namespace {

std::shared_ptr<SlotBudget> budget_of(const CoreSettings& settings) {
  if (settings.budget) return settings.budget;
  return std::make_shared<SlotBudget>(settings.slots, settings.shard + 1, settings.first_percent);
}

}  // namespace

Core::Core(CoreSettings settings, SecureRandom& secure_random, std::uint64_t seed)
    : settings_(std::move(settings)),
      budget_(budget_of(settings_)),
      ids_(secure_random),
      random_(seed) {}

SlotLine& Core::line_of(SlotKind kind) { return slot_lines_[static_cast<std::size_t>(kind)]; }
int& Core::given_of(SlotKind kind) { return slots_given_[static_cast<std::size_t>(kind)]; }

// If there is none for it, the lane stands in line, and is woken when its turn comes. Another one
// may go before it only if that holds fewer slots.
bool Core::may_take_slot(LaneState& state) {
  if (state.slot_place && state.slot_place->held != state.slots) {
    const std::uint64_t turn = state.slot_place->turn;
    leave_line(state);
    join_line(state, turn);
  }
  const SlotKind kind = slot_kind(state.slots);
  const SlotLine& line = line_of(kind);
  const SlotPlace place = state.slot_place.value_or(SlotPlace{state.slots, next_slot_turn_});
  if (line.is_behind(place) || !take_slot(state.slots)) {
    if (!state.slot_place) join_line(state, next_slot_turn_++);
    return false;
  }
  if (state.slot_place) leave_line(state);
  ++state.slots;
  // There may be one more.
  if (!line.is_empty()) wake(lane_of(line.front()));
  return true;
}

bool Core::take_slot(int held) {
  int& given = given_of(slot_kind(held));
  if (given == 0 || !budget_->fits_given(held)) return budget_->try_take(settings_.shard, held);
  --given;
  return true;
}

void Core::join_line(LaneState& state, std::uint64_t turn) {
  state.slot_place = SlotPlace{state.slots, turn};
  line_of(slot_kind(state.slots)).join(*state.slot_place, state.config.endpoint);
  budget_->note_waiting(1);
}

// The next one may have waited for nothing but its turn.
void Core::leave_line(LaneState& state) {
  const SlotPlace place = *std::exchange(state.slot_place, std::nullopt);
  const SlotKind kind = slot_kind(place.held);
  SlotLine& line = line_of(kind);
  const bool was_first = !line.is_behind(place);
  line.leave(place);
  budget_->note_waiting(-1);
  if (line.is_empty()) {
    budget_->stop_waiting(settings_.shard, kind);
  } else if (was_first) {
    wake(lane_of(line.front()));
  }
}

// The lane has no use for a slot now.
void Core::want_no_slot(LaneState& state) {
  if (state.slot_place) leave_line(state);
}

void Core::free_slot(LaneState& state) {
  CHECK(state.slots > 0);
  give_slot(slot_kind(--state.slots));
}

void Core::give_slot(SlotKind kind) {
  const auto shard = budget_->give_back(settings_.shard, kind);
  if (!shard) return;
  if (*shard != settings_.shard) return freed_.push_back({*shard, kind});
  slot_given(kind);
}

void Core::slot_given(SlotKind kind) {
  ++given_of(kind);
  if (!line_of(kind).is_empty()) wake(lane_of(line_of(kind).front()));
}

// What this shard was given and has no lane for any more. True if that was given to it once more,
// for another lane.
bool Core::pass_on_slots() {
  bool is_given_again = false;
  for (const SlotKind kind : {SlotKind::First, SlotKind::Further}) {
    const SlotLine& line = line_of(kind);
    const auto is_awaited = [&] { return !line.is_empty() && lane_of(line.front()).is_in_ring; };
    while (given_of(kind) > 0 && !is_awaited()) {
      --given_of(kind);
      give_slot(kind);
      is_given_again = is_given_again || is_awaited();
    }
  }
  return is_given_again;
}

}  // namespace petrel::engine
