#include "node/drain.h"

#include <utility>

namespace petrel::node {

void Drain::begin(Duration grace, Function<void()> drained) {
  parts_.control.post([this, grace, drained = std::move(drained)]() mutable {
    drained_ = std::move(drained);
    start(grace);
  });
}

void Drain::start(Duration grace) {
  has_begun_ = true;
  parts_.tasks.stop();
  const Applied all = Acknowledgement::begin(parts_.control, [this] { stop_notices(); });
  for (std::size_t i = 0; i < parts_.lanes.shard_count(); ++i) {
    parts_.lanes.send_to_shard(i, StartNothing{all->another()});
  }
  all->begun();
  const MonoTime now = parts_.clock.mono();
  alarms_.at(now + grace, [this] { cancel(); });
  alarms_.at(now + grace + parts_.last_commit, [this] { stop_notices(); });
}

void Drain::cancel() {
  if (is_over_) return;
  for (std::size_t i = 0; i < parts_.lanes.shard_count(); ++i) {
    parts_.lanes.send_to_shard(i, CancelAttempts{});
  }
}

void Drain::stop_notices() {
  if (std::exchange(is_over_, true)) return;
  const Applied all = Acknowledgement::begin(parts_.control, std::move(drained_));
  for (std::size_t i = 0; i < parts_.lanes.shard_count(); ++i) {
    parts_.lanes.send_to_shard(i, StopNotices{all->another()});
  }
  all->begun();
}

}  // namespace petrel::node
