#include "engine/release.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace petrel::engine {
namespace {

using model::DeliveryState;
using model::NextBasis;

// The last place before that of the delivery: what follows it is the delivery, if it stands there.
store::DuePosition just_before(WallTime due_at, MessageId message) {
  Ksuid::Bytes bytes = message.ksuid().bytes();
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    if ((*byte)-- != 0) return {due_at, MessageId(Ksuid(bytes))};
  }
  return {due_at - Duration(1), MessageId(Ksuid(bytes))};  // All ones by now.
}

}  // namespace

std::vector<store::DueQuery> Release::take_queries(EndpointId endpoint, std::size_t room) {
  std::vector<store::DueQuery> queries;
  store::DueQuery query{.endpoint = endpoint, .queue = store::DueClass::Retry};
  const bool is_handed_out =
      chosen_.empty() && being_fetched_.empty() && fetched_.empty() && being_written_.empty();
  if (is_read_ && is_handed_out && was_full_) {
    is_read_ = false;
    was_full_ = false;
    after_.reset();
  }
  if (!is_read_) {
    if (std::exchange(is_loading_, true)) return queries;
    settled_while_loading_.clear();
    query.after = after_;
    query.limit = kPage;
    queries.push_back(std::move(query));
    return queries;
  }
  query.limit = 1;
  for (std::size_t left = std::min(room, ahead_left()); left > 0 && !chosen_.empty(); --left) {
    const Chosen chosen = chosen_.back();
    chosen_.pop_back();
    query.after = just_before(chosen.due_at, chosen.message);
    being_fetched_.emplace(*query.after, chosen);
    queries.push_back(query);
  }
  return queries;
}

std::size_t Release::ahead_left() const {
  const std::size_t ahead =
      ahead_.size() + being_written_.size() + being_fetched_.size() + fetched_.size();
  return ahead < kAheadMax ? kAheadMax - ahead : 0;
}

void Release::loaded(const store::DueQuery& query, const store::DuePage& page, WallTime now,
                     const std::unordered_set<MessageId>& busy) {
  if (query.limit == kPage) {
    if (is_loading_ && query.after == after_) read_page(page, now, busy);
    return;
  }
  const auto asked = being_fetched_.find(query.after.value_or(store::DuePosition{}));
  if (asked == being_fetched_.end()) return;
  const MessageId message = asked->second.message;
  being_fetched_.erase(asked);
  // If it has moved since, by whatever it was, it is not for us any more.
  const bool is_there = !page.deliveries.empty() && page.deliveries[0].key.message == message;
  if (!is_there || busy.contains(message) || !is_meant(page.deliveries[0], now)) return;
  fetched_.emplace(message, page.deliveries[0]);
}

void Release::load_failed(const store::DueQuery& query) {
  if (query.limit == kPage) {
    is_loading_ = false;
    return;
  }
  const auto asked = being_fetched_.find(query.after.value_or(store::DuePosition{}));
  if (asked == being_fetched_.end()) return;
  const Chosen chosen = asked->second;
  being_fetched_.erase(asked);
  chosen_.insert(std::lower_bound(chosen_.begin(), chosen_.end(), chosen, std::greater<>()),
                 chosen);
}

void Release::read_page(const store::DuePage& page, WallTime now,
                        const std::unordered_set<MessageId>& busy) {
  is_loading_ = false;
  for (const model::Delivery& delivery : page.deliveries) {
    const MessageId message = delivery.key.message;
    if (settled_while_loading_.contains(message) || busy.contains(message)) continue;
    // Of a process before this one.
    const bool is_released = delivery.next && delivery.next->basis == NextBasis::Release;
    if (is_released && ahead_.size() < kAheadMax) ahead_.emplace(message, delivery);
    if (is_meant(delivery, now)) choose(delivery);
  }
  if (!page.deliveries.empty()) {
    after_ = store::DuePosition{page.deliveries.back().due_at, page.deliveries.back().key.message};
  }
  is_read_ = !page.has_more;
  if (is_read_) std::sort(chosen_.begin(), chosen_.end(), std::greater<>());
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
  chosen_.push_back({delivery.key.message, delivery.due_at});
  std::push_heap(chosen_.begin(), chosen_.end());
  if (chosen_.size() <= kChosenMax) return;
  std::pop_heap(chosen_.begin(), chosen_.end());
  chosen_.pop_back();
  was_full_ = true;
}

std::vector<model::Delivery> Release::take_batch(std::size_t room) {
  std::vector<model::Delivery> batch;
  // Not before all are there, or a younger one might overtake an older.
  if (!being_fetched_.empty()) return batch;
  for (; room > 0 && !fetched_.empty(); --room) {
    auto node = fetched_.extract(fetched_.begin());
    being_written_.insert(node.key());
    batch.push_back(std::move(node.mapped()));
  }
  return batch;
}

void Release::written(const model::Delivery& delivery) {
  being_written_.erase(delivery.key.message);
  if (delivery.next->basis == NextBasis::Release) ahead_.emplace(delivery.key.message, delivery);
}

void Release::settled(MessageId message) {
  std::erase_if(being_fetched_, [&](const auto& each) { return each.second.message == message; });
  fetched_.erase(message);
  ahead_.erase(message);
  being_written_.erase(message);
  if (is_loading_) settled_while_loading_.insert(message);
}

bool Release::is_through() const {
  return is_read_ && !was_full_ && chosen_.empty() && being_fetched_.empty() && fetched_.empty() &&
         being_written_.empty() && ahead_.empty();
}

model::Settlement release_of(const model::Delivery& delivery, WallTime now) {
  model::Settlement settlement = model::settlement_from(delivery);
  model::Delivery& released = settlement.delivery;
  const WallTime not_before = released.next->not_before.value_or(now);
  released.next->released_from = delivery.due_at;
  released.next->basis = not_before > now ? NextBasis::RetryAfter : NextBasis::Release;
  released.due_at = std::max(now, not_before);
  released.is_scheduled = not_before > now;
  return settlement;
}

model::Settlement taken_back(const model::Delivery& delivery) {
  model::Settlement settlement = model::settlement_from(delivery);
  settlement.delivery.next->basis = NextBasis::Schedule;
  settlement.delivery.due_at = delivery.next->released_from.value_or(delivery.due_at);
  return settlement;
}

}  // namespace petrel::engine
