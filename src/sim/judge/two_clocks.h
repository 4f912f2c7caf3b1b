// TwoClocks is how the wall clock went against the other: evenly, but for the times that it was
// set. Due times are kept by the wall clock and waited for by the other one, so a clock that was
// set leaves a node the choice of when a time has come.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <vector>

#include "base/time.h"
#include "sim/judge/evidence.h"

namespace petrel::sim::judge {

class TwoClocks {
 public:
  // What comes first, and after each setting.
  void noted(const Moment& at) { eras_.push_back(at); }

  bool has_begun() const { return !eras_.empty(); }
  bool was_set() const { return eras_.size() > 1; }
  bool was_set_since(MonoTime since) const { return was_set() && eras_.back().mono >= since; }

  // The first moment at which one who read both clocks at `since` or later could take `time` for
  // come, and the last.
  MonoTime earliest(WallTime time, MonoTime since) const { return expected(time, since).first; }
  MonoTime latest(WallTime time, MonoTime since) const { return expected(time, since).second; }

  // The latest time that the wall clock showed by `now`.
  WallTime latest_shown(MonoTime now) const {
    WallTime latest = WallTime::min();
    for (std::size_t i = 0; i < eras_.size(); ++i) {
      const MonoTime end = i + 1 < eras_.size() ? eras_[i + 1].mono : now;
      latest = std::max(latest, eras_[i].wall + (end - eras_[i].mono));
    }
    return latest;
  }

 private:
  std::pair<MonoTime, MonoTime> expected(WallTime time, MonoTime since) const {
    std::pair<MonoTime, MonoTime> bounds{MonoTime::max(), MonoTime::min()};
    for (auto era = eras_.rbegin(); era != eras_.rend(); ++era) {
      const MonoTime moment = era->mono + (time - era->wall);
      bounds.first = std::min(bounds.first, moment);
      bounds.second = std::max(bounds.second, moment);
      if (era->mono < since) break;
    }
    return bounds;
  }

  std::vector<Moment> eras_;  // Where each stretch begins in which both go evenly.
};

}  // namespace petrel::sim::judge
