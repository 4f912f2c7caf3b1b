#include "sim/world.h"

#include <algorithm>
#include <utility>

namespace petrel::sim {

void World::at(MonoTime time, Function<void()> action) {
  events_.push_back({std::max(time, now()), next_sequence_++, std::move(action)});
  std::push_heap(events_.begin(), events_.end(), Later());
}

bool World::may_go_on(MonoTime until) const {
  return !is_stopped_ && !is_spinning() && !events_.empty() && events_.front().time <= until;
}

void World::do_next() {
  std::pop_heap(events_.begin(), events_.end(), Later());
  const Event event = std::move(events_.back());
  events_.pop_back();
  events_at_once_ = event.time == now() ? events_at_once_ + 1 : 0;
  clock_.advance_to(event.time);
  ++events_done_;
  event.action();
  if (watcher_) watcher_();
}

void World::run_until(MonoTime time) {
  while (may_go_on(time)) do_next();
  if (!is_stopped_ && !is_spinning() && time > now()) clock_.advance_to(time);
}

void World::run_to_rest(MonoTime latest) {
  while (may_go_on(latest)) do_next();
}

}  // namespace petrel::sim
