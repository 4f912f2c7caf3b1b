#include "api/recovery.h"

#include <utility>
#include <vector>

#include "replay/revival.h"

namespace petrel::api {
namespace {

// Everything that died before `time` stands before it.
store::DeadPosition before(EndpointId endpoint, WallTime time) {
  return {endpoint, time, MessageId()};
}

}  // namespace

Recovery::Recovery(Parts parts, const RecoveryWindow& window)
    : parts_(std::move(parts)), window_(window), after_(before(window.endpoint, window.since)) {}

void Recovery::start() {
  parts_.run_blocking([self = shared_from_this()] { self->step(); });
}

void Recovery::step() {
  Result<std::vector<model::Settlement>> batch = next_batch();
  if (!batch.ok()) return parts_.on_batch(batch.error());
  const std::size_t count = batch->size();
  if (count == 0) return settled(0, Done{});
  parts_.store.settle(*std::move(batch), [self = shared_from_this(), count](const Status& status) {
    self->settled(count, status);
  });
}

Result<std::vector<model::Settlement>> Recovery::next_batch() {
  const auto dead = parts_.browse.dead_letters({.application = window_.application,
                                                .endpoint = window_.endpoint,
                                                .after = after_,
                                                .limit = kBatch});
  if (!dead.ok()) return dead.error();
  has_more_ = dead->has_more;
  const WallTime now = parts_.clock.wall();
  std::vector<model::Settlement> batch;
  for (const model::Delivery& delivery : dead->items) {
    if (delivery.updated_at >= window_.until) {
      has_more_ = false;
      break;
    }
    after_ = {window_.endpoint, delivery.updated_at, delivery.key.message};
    const Result<model::Payload> payload = parts_.browse.payload(delivery.key.message);
    if (!payload.ok()) return payload.error();
    if (*payload == nullptr) continue;
    if (auto settlement = replay::revival(delivery, now)) batch.push_back(*std::move(settlement));
  }
  return batch;
}

void Recovery::settled(std::size_t count, const Status& status) {
  if (!status.ok()) return parts_.on_batch(status.error());
  progress_.revived += count;
  progress_.is_done = !has_more_;
  if (count > 0) parts_.nudge(window_.endpoint);
  parts_.on_batch(progress_);
  if (has_more_) start();
}

}  // namespace petrel::api
