#include "sim/judge/hold_model.h"

#include <algorithm>

namespace petrel::sim::judge {

void HoldModel::wished(std::uint64_t request, const Moment& at, Duration shortest,
                       Duration longest) {
  std::erase_if(wishes_, [&](const Wish& wish) { return wish.perhaps_until < at.mono; });
  wishes_.push_back({request, at, at.mono + shortest, at.mono + longest});
}

void HoldModel::recorded(std::uint64_t request, MonoTime as_of) {
  kept_at_ = as_of;
  for (Wish& wish : wishes_) {
    if (wish.request == request) wish.is_on_disk = true;
  }
}

void HoldModel::died() {
  // What was not on disk is forgotten, or was written in the last moment.
  for (Wish& wish : wishes_) {
    const bool is_kept = wish.is_on_disk && wish.at.mono <= kept_at_;
    if (!is_kept) wish.surely_until = wish.at.mono;
  }
}

void HoldModel::started(const TwoClocks& clocks) {
  for (Wish& wish : wishes_) {
    const WallTime until = wish.at.wall + (wish.surely_until - wish.at.mono);
    wish.surely_until = std::min(wish.surely_until, clocks.earliest(until, wish.at.mono));
    const WallTime last = wish.at.wall + (wish.perhaps_until - wish.at.mono);
    wish.perhaps_until = std::max(wish.perhaps_until, clocks.latest(last, wish.at.mono));
  }
}

void HoldModel::lift_asked() {
  for (Wish& wish : wishes_) wish.may_be_lifted = true;
}

void HoldModel::lift_told() {
  std::erase_if(wishes_, [](const Wish& wish) { return wish.may_be_lifted; });
}

bool HoldModel::is_held_at(MonoTime now, Duration lateness) const {
  return std::any_of(wishes_.begin(), wishes_.end(), [&](const Wish& wish) {
    return !wish.may_be_lifted && now > wish.at.mono + lateness && now < wish.surely_until;
  });
}

MonoTime HoldModel::surely_until() const {
  MonoTime until = MonoTime::min();
  for (const Wish& wish : wishes_) {
    if (!wish.may_be_lifted) until = std::max(until, wish.surely_until);
  }
  return until;
}

MonoTime HoldModel::perhaps_until() const {
  MonoTime until = MonoTime::min();
  for (const Wish& wish : wishes_) until = std::max(until, wish.perhaps_until);
  return until;
}

}  // namespace petrel::sim::judge
