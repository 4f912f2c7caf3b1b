// What the lanes of a Core share: its slots, the room at an authority, and an application's rate.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/core.h"

namespace petrel::engine {
namespace {

// A lane whose oldest request has had no answer for this long is in trouble.
constexpr Duration kAnswerPatience = std::chrono::seconds(2);

constexpr Duration kRecount = std::chrono::milliseconds(5);

// A place in the line for a shared rate that was not used by then is given up.
constexpr Duration kSharedPlaceKept = std::chrono::seconds(1);

}  // namespace

void Core::free_slot(LaneState& state, const Out& out) {
  --out_count_;
  const auto since = std::find(state.out_since.begin(), state.out_since.end(), out.started.mono);
  CHECK(since != state.out_since.end());
  *since = state.out_since.back();
  state.out_since.pop_back();

  Authority& authority = authorities_[out.authority];
  --authority.out;
  unpark_one(authority);
  drop_if_unused(out.authority);
}

// Lets a lane try again that a shared limit had refused. If it turns out to have no use for the
// room, it comes by here itself and lets in the next.
void Core::unpark_one(Authority& authority) {
  unpark_at(authority);
  unpark_first(troubled_parked_, &LaneState::is_parked_in_trouble);
}

void Core::unpark_at(Authority& authority) {
  if (authority.out >= authority.cap) return;
  unpark_first(authority.parked, &LaneState::is_parked_at_authority);
}

void Core::unpark_first(std::deque<EndpointId>& parked, bool LaneState::*is_parked) {
  if (parked.empty()) return;
  LaneState& state = lane_of(parked.front());
  parked.pop_front();
  state.*is_parked = false;
  wake(state);
}

void Core::join_authority(LaneState& state) {
  Authority& authority = authorities_[state.config.authority];
  ++authority.lanes;
  const auto cap = authority_caps_.find(state.config.authority);
  authority.cap = cap == authority_caps_.end() ? settings_.in_flight_per_authority : cap->second;
}

void Core::leave_authority(LaneState& state) {
  Authority& authority = authorities_[state.config.authority];
  --authority.lanes;
  if (std::exchange(state.is_parked_at_authority, false)) {
    std::erase(authority.parked, state.config.endpoint);
  }
  unpark_at(authority);  // The lane may have been woken for room that it does not use now.
  drop_if_unused(state.config.authority);
}

void Core::drop_if_unused(const std::string& name) {
  const auto found = authorities_.find(name);
  if (found->second.lanes == 0 && found->second.out == 0) authorities_.erase(found);
}

void Core::set_authority_cap(const std::string& name, int cap) {
  if (cap > settings_.in_flight_per_authority) {
    authority_caps_[name] = cap;
  } else {
    authority_caps_.erase(name);
  }
  const auto found = authorities_.find(name);
  if (found == authorities_.end()) return;
  Authority& authority = found->second;
  authority.cap = std::max(cap, settings_.in_flight_per_authority);
  for (int room = authority.cap - authority.out; room > 0; --room) unpark_at(authority);
}

bool Core::is_troubled(const LaneState& state, const Now& now) const {
  if (state.guard.is_troubled(now.mono)) return true;
  return std::any_of(state.out_since.begin(), state.out_since.end(),
                     [&](MonoTime since) { return now.mono - since >= kAnswerPatience; });
}

// Looks at every lane, so it is not done for every attempt. In between, attempts of lanes in
// trouble are added, and none that ends is taken off. A lane that is refused because of that is not
// lost: half of the slots are taken then, and each attempt that ends lets one lane try again.
void Core::count_troubled(const Now& now) {
  troubled_counted_at_ = now.mono;
  troubled_out_ = 0;
  for (const auto& [endpoint, lane] : lanes_) {
    if (lane->out_since.empty() || !is_troubled(*lane, now)) continue;
    troubled_out_ += static_cast<int>(lane->out_since.size());
  }
}

// Whether the limits that lanes share leave room for one more. If not, the lane is woken when there
// may be.
bool Core::may_take_slot(LaneState& state, const Now& now) {
  Authority& authority = authorities_[state.config.authority];
  if (authority.out >= authority.cap) {
    if (!std::exchange(state.is_parked_at_authority, true)) {
      authority.parked.push_back(state.config.endpoint);
    }
    return false;
  }
  // Only when so many slots are taken at all can lanes in trouble have taken so many.
  const int most = std::max(settings_.slots * settings_.troubled_percent / 100, 1);
  if (!is_troubled(state, now)) return true;
  const bool is_count_needed = out_count_ >= most;
  if (is_count_needed && now.mono - troubled_counted_at_ >= kRecount) count_troubled(now);
  if (!is_count_needed || troubled_out_ < most) {
    ++troubled_out_;
    return true;
  }
  if (!std::exchange(state.is_parked_in_trouble, true)) {
    troubled_parked_.push_back(state.config.endpoint);
  }
  unpark_at(authority);  // The room there is somebody else's, who may not be in trouble.
  return false;
}

// The lane stands in line for the application's rate at most once, and only when nothing else keeps
// it from sending: a place that it cannot use would be lost to the others.
bool Core::may_go_by_shared_rate(LaneState& state, const Now& now) {
  if (!state.config.shared_rate) return true;
  const auto free_at = state.guard.next_at(now.mono);
  if (!free_at || *free_at > now.mono) {
    state.guard.note_wait(now.mono);
    return false;
  }
  lane::SharedRate& rate = *state.config.shared_rate;
  auto& place = state.shared_place;
  const bool is_lost = place && (!rate.is_valid(*place) || now.mono - place->at > kSharedPlaceKept);
  if (!place || is_lost) place = rate.reserve(now.mono);
  return place->at <= now.mono;
}

}  // namespace petrel::engine
