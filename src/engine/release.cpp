#include "engine/release.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::engine {

using model::DeliveryState;
using model::NextBasis;

std::optional<store::DueQuery> Release::take_query(EndpointId endpoint) {
  const bool may_start_over = chosen_.empty() && being_written_.empty() && was_full_;
  if (is_read_ && may_start_over) {
    is_read_ = false;
    was_full_ = false;
    after_.reset();
  }
  if (is_read_ || is_loading_) return std::nullopt;
  is_loading_ = true;
  settled_while_loading_.clear();
  return store::DueQuery{
      .endpoint = endpoint, .queue = store::DueClass::Retry, .after = after_, .limit = kPage};
}

void Release::loaded(const store::DueQuery& query, const store::DuePage& page, WallTime now,
                     const std::unordered_set<MessageId>& busy) {
  if (!is_loading_ || query.after != after_) return;
  is_loading_ = false;
  for (const model::Delivery& delivery : page.deliveries) {
    const MessageId message = delivery.key.message;
    if (settled_while_loading_.contains(message) || busy.contains(message)) continue;
    // Of a process before this one.
    const bool is_released = delivery.next && delivery.next->basis == NextBasis::Release;
    if (is_released && ahead_.size() < kAheadMax) ahead_.emplace(delivery.key.message, delivery);
    if (is_meant(delivery, now)) choose(delivery);
  }
  if (!page.deliveries.empty()) {
    after_ = store::DuePosition{page.deliveries.back().due_at, page.deliveries.back().key.message};
  }
  is_read_ = !page.has_more;
}

bool Release::is_meant(const model::Delivery& delivery, WallTime now) const {
  if (delivery.state != DeliveryState::Retrying || !delivery.next || delivery.due_at <= now) {
    return false;
  }
  const model::Next& next = *delivery.next;
  const bool waits_for_backoff =
      next.basis == NextBasis::Schedule || next.basis == NextBasis::Probe;
  const bool failed_in_outage =
      delivery.updated_at >= window_.from && delivery.updated_at <= window_.to;
  const bool was_released = next.released_from && *next.released_from > now;
  const bool is_wish_sooner = !next.not_before || *next.not_before < delivery.due_at;
  return waits_for_backoff && failed_in_outage && !was_released && is_wish_sooner;
}

void Release::choose(const model::Delivery& delivery) {
  chosen_.insert_or_assign(delivery.key.message, delivery);
  if (chosen_.size() <= kChosenMax) return;
  chosen_.erase(std::prev(chosen_.end()));
  was_full_ = true;
}

std::vector<model::Delivery> Release::take_batch(std::size_t room) {
  std::vector<model::Delivery> batch;
  if (!is_read_) return batch;
  const std::size_t ahead = ahead_.size() + being_written_.size();
  std::size_t left = std::min(room, ahead < kAheadMax ? kAheadMax - ahead : 0);
  for (; left > 0 && !chosen_.empty(); --left) {
    batch.push_back(std::move(chosen_.extract(chosen_.begin()).mapped()));
  }
  for (const model::Delivery& delivery : batch) being_written_.insert(delivery.key.message);
  return batch;
}

void Release::written(const model::Delivery& delivery) {
  being_written_.erase(delivery.key.message);
  if (delivery.next->basis == NextBasis::Release) ahead_.emplace(delivery.key.message, delivery);
}

void Release::settled(MessageId message) {
  chosen_.erase(message);
  ahead_.erase(message);
  being_written_.erase(message);
  if (is_loading_) settled_while_loading_.insert(message);
}

bool Release::is_through() const {
  return is_read_ && !was_full_ && chosen_.empty() && ahead_.empty() && being_written_.empty();
}

model::Settlement release_of(const model::Delivery& delivery, WallTime now) {
  model::Settlement settlement = model::settlement_from(delivery);
  model::Delivery& released = settlement.delivery;
  const WallTime wish = released.next->not_before.value_or(now);
  released.next->released_from = delivery.due_at;
  released.next->basis = wish > now ? NextBasis::RetryAfter : NextBasis::Release;
  released.due_at = std::max(now, wish);
  released.is_scheduled = wish > now;
  return settlement;
}

model::Settlement taken_back(const model::Delivery& delivery) {
  model::Settlement settlement = model::settlement_from(delivery);
  settlement.delivery.next->basis = NextBasis::Schedule;
  settlement.delivery.due_at = delivery.next->released_from.value_or(delivery.due_at);
  return settlement;
}

}  // namespace petrel::engine
