// What some lanes of a Core share: the room at an authority, and an application's rate.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/core.h"

namespace petrel::engine {

// The attempt is over, and its outcome not on disk yet.
void Core::leave_wire(LaneState& state, const Out& out) {
  --out_count_;
  const auto since = std::find(state.out_since.begin(), state.out_since.end(), out.started.mono);
  CHECK(since != state.out_since.end());
  *since = state.out_since.back();
  state.out_since.pop_back();

  Authority& authority = authorities_[out.authority];
  --authority.out;
  if (out.authority == state.config.authority && --state.out_here == 0) --authority.firsts;
  unpark_at(authority);
  drop_if_unused(out.authority);
}

// Of the cap as many places as there are other endpoints, at most half of it, are kept for those
// that have nothing in flight there.
bool Core::has_room(const Authority& authority, SlotKind kind) const {
  const int cap = authority.limit.cap;
  if (authority.out >= cap) return false;
  if (kind == SlotKind::First) return true;
  const int others = std::max(authority.limit.endpoints, authority.lanes) - 1;
  const int kept = std::min(others, cap * settings_.kept_percent / 100);
  return authority.out - authority.firsts < cap - kept - 1;
}

// Lets a lane try again that a full authority had refused. If it turns out to have no use for the
// room, it comes by here itself and lets in the next.
void Core::unpark_at(Authority& authority) {
  for (const SlotKind kind : {SlotKind::First, SlotKind::Further}) {
    std::deque<EndpointId>& parked = authority.parked[static_cast<std::size_t>(kind)];
    if (parked.empty() || !has_room(authority, kind)) continue;
    LaneState& state = lane_of(parked.front());
    parked.pop_front();
    state.parked_at_authority.reset();
    return wake(state);
  }
}

void Core::leave_parked(LaneState& state, Authority& authority) {
  const auto kind = std::exchange(state.parked_at_authority, std::nullopt);
  if (!kind) return;
  std::erase(authority.parked[static_cast<std::size_t>(*kind)], state.config.endpoint);
}

// What the lane has in flight at an authority counts there, also if it was elsewhere meanwhile.
void Core::join_authority(LaneState& state) {
  Authority& authority = authorities_[state.config.authority];
  ++authority.lanes;
  const auto limit = authority_limits_.find(state.config.authority);
  authority.limit = limit == authority_limits_.end()
                        ? AuthorityLimit{.cap = settings_.in_flight_per_authority}
                        : limit->second;
  if (state.out_since.empty()) return;
  for (const auto& [ticket, out] : out_) {
    const bool is_here = out.record->id == state.config.endpoint;
    if (is_here && out.authority == state.config.authority) ++state.out_here;
  }
  if (state.out_here > 0) ++authority.firsts;
}

void Core::leave_authority(LaneState& state) {
  Authority& authority = authorities_[state.config.authority];
  --authority.lanes;
  if (std::exchange(state.out_here, 0) > 0) --authority.firsts;
  leave_parked(state, authority);
  unpark_at(authority);  // The lane may have been woken for room that it does not use now.
  drop_if_unused(state.config.authority);
}

void Core::drop_if_unused(const std::string& name) {
  const auto found = authorities_.find(name);
  if (found->second.lanes == 0 && found->second.out == 0) authorities_.erase(found);
}

void Core::set_authority_limit(const std::string& name, const AuthorityLimit& limit) {
  const AuthorityLimit usual{.cap = settings_.in_flight_per_authority};
  const AuthorityLimit now{std::max(limit.cap, usual.cap), limit.endpoints};
  if (now == usual) {
    authority_limits_.erase(name);
  } else {
    authority_limits_[name] = now;
  }
  const auto found = authorities_.find(name);
  if (found == authorities_.end()) return;
  Authority& authority = found->second;
  authority.limit = now;
  for (int room = now.cap - authority.out; room > 0; --room) unpark_at(authority);
}

// Whether its authority has room for one more of the lane. If not, the lane is woken when there may
// be.
bool Core::may_join_wire(LaneState& state) {
  Authority& authority = authorities_[state.config.authority];
  const SlotKind kind = slot_kind(state.out_here);
  if (state.parked_at_authority != kind) leave_parked(state, authority);
  if (has_room(authority, kind)) {
    leave_parked(state, authority);
    return true;
  }
  want_no_slot(state);
  if (state.parked_at_authority) return false;
  state.parked_at_authority = kind;
  authority.parked[static_cast<std::size_t>(kind)].push_back(state.config.endpoint);
  return false;
}

// Asked before there is a slot for it: what cannot use one does not stand in line.
bool Core::is_guard_ready(LaneState& state, const Now& now) {
  const auto free_at = state.guard.next_at(now.mono);
  const bool is_ready = free_at && *free_at <= now.mono;
  if (!is_ready) state.guard.note_wait(now.mono);
  return is_ready;
}

// The lane stands in line for the application's rate at most once, and only when nothing else keeps
// it from sending: a place that it cannot use would be lost to the others.
bool Core::may_go_by_shared_rate(LaneState& state, const Now& now) {
  if (!state.config.shared_rate) return true;
  lane::SharedRate& rate = *state.config.shared_rate;
  auto& place = state.shared_place;
  if (!place) place = rate.reserve(now.mono);
  if (!rate.try_use(*place, now.mono)) return false;
  place.reset();
  return true;
}

}  // namespace petrel::engine
