#include "sim/virtual_clock.h"

#include "base/check.h"

namespace petrel::sim {

void VirtualClock::advance_to(MonoTime to) {
  CHECK(to >= now_);
  now_ = to;
}

void VirtualClock::step(Duration by) {
  latest_before_ = latest_shown();
  eras_.push_back({now_, wall() + by});
}

std::optional<MonoTime> VirtualClock::moment_of(WallTime time) const {
  MonoTime last = now_;
  for (auto era = eras_.rbegin(); era != eras_.rend(); ++era) {
    const MonoTime moment = era->from + (time - era->wall);
    if (moment >= era->from && moment <= last) return moment;
    last = era->from;
  }
  return std::nullopt;
}

MonoTime VirtualClock::earliest_expected(WallTime time, MonoTime since) const {
  MonoTime earliest = MonoTime::max();
  for (auto era = eras_.rbegin(); era != eras_.rend(); ++era) {
    earliest = std::min(earliest, era->from + (time - era->wall));
    if (era->from < since) break;
  }
  return earliest;
}

}  // namespace petrel::sim
