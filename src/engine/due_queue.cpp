#include "engine/due_queue.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace petrel::engine {

store::DuePosition DueQueue::position_of(const model::Delivery& delivery) const {
  return {delivery.due_at, delivery.key.message};
}

// Everything behind the last one in memory is in the store only.
void DueQueue::draw_line_at_end() {
  has_more_ = true;
  loaded_to_.reset();
  if (!window_.empty()) loaded_to_ = std::prev(window_.end())->first;
  if (is_loading_) is_page_stale_ = true;
}

void DueQueue::expect_more() {
  // They may stand anywhere, also before the line: start over. The store has all of ours, too.
  window_.clear();
  draw_line_at_end();
}

void DueQueue::leave_in_store(const store::DuePosition& position) {
  if (is_loading_ && (!missed_ || position < *missed_)) missed_ = position;
}

void DueQueue::add(Waiting waiting) {
  const store::DuePosition position = position_of(waiting.delivery);
  const bool is_behind_line = has_more_ && (!loaded_to_ || position > *loaded_to_);
  if (is_behind_line) return leave_in_store(position);
  window_.insert_or_assign(position, std::move(waiting));
  trim();
}

void DueQueue::announce(Waiting waiting, store::Sequence sequence) {
  if (sequence == 0 || sequence > covered_) return add(std::move(waiting));
  const store::DuePosition position = position_of(waiting.delivery);
  if (!covered_behind_ || position > *covered_behind_) return;
  // It stands before what the last page showed, and whether one before showed it, we do not know:
  // read that part again.
  const bool is_behind_line = has_more_ && (!loaded_to_ || position > *loaded_to_);
  if (is_behind_line || window_.contains(position)) return;
  window_.erase(window_.lower_bound(position), window_.end());
  draw_line_at_end();
}

// The store has the last ones: lets go of those that are too many, and draws the line before them.
void DueQueue::trim() {
  if (window_.size() <= kWindowMax) return;
  while (window_.size() > kWindowMax) window_.erase(std::prev(window_.end()));
  draw_line_at_end();
}

// Where it stands, only the window knows: it may have moved since the caller read it.
void DueQueue::remove(MessageId message) {
  std::erase_if(window_, [&](const auto& each) { return each.first.message == message; });
}

std::optional<store::DueQuery> DueQueue::take_query(EndpointId endpoint) {
  if (!has_more_ || is_loading_ || window_.size() >= kRefillBelow) return std::nullopt;
  is_loading_ = true;
  is_page_stale_ = false;
  missed_.reset();
  settled_while_loading_.clear();
  return store::DueQuery{.endpoint = endpoint,
                         .queue = queue_,
                         .after = loaded_to_,
                         .limit = kWindowMax - window_.size()};
}

bool DueQueue::begin_page() {
  CHECK(is_loading_);
  is_loading_ = false;
  return !is_page_stale_;
}

void DueQueue::add_from_page(const model::Delivery& delivery, const Now& now) {
  const store::DuePosition position = position_of(delivery);
  if (settled_while_loading_.contains(delivery.key.message) || window_.contains(position)) return;
  // What was never tried waits for nothing, whatever the wall clock has done since, unless its
  // producer has chosen the moment.
  const bool is_at_once = queue_ == store::DueClass::Fresh && !delivery.is_scheduled;
  const MonoTime due = is_at_once ? now.mono : now.mono_at(delivery.due_at);
  window_.emplace(position, Waiting{.delivery = delivery, .payload = nullptr, .due = due});
}

void DueQueue::end_page(const store::DuePage& page) {
  covered_ = std::max(covered_, page.sequence);
  covered_behind_ = loaded_to_;
  has_more_ = page.has_more || missed_;
  if (!page.deliveries.empty()) loaded_to_ = position_of(page.deliveries.back());
  settled_while_loading_.clear();
  if (missed_ && loaded_to_ && *missed_ <= *loaded_to_) {
    // It stands before the page's end, and the page may have been read before it came. Go back to
    // before it; what is let go of here is in the store.
    window_.erase(window_.lower_bound(*missed_), window_.end());
    draw_line_at_end();
  }
  trim();  // What came before the line meanwhile had no place in the page's limit.
}

void DueQueue::forget_payloads() {
  for (auto& [position, waiting] : window_) waiting.payload = nullptr;
}

void DueQueue::settled(MessageId message) {
  if (is_loading_) settled_while_loading_.insert(message);
}

// Of those that are due together, the first in the store's order.
DueQueue::Window::const_iterator DueQueue::find_first() const {
  return std::min_element(window_.begin(), window_.end(), [](const auto& one, const auto& other) {
    return one.second.due < other.second.due;
  });
}

std::optional<MonoTime> DueQueue::first_due() const {
  if (window_.empty()) return std::nullopt;
  return first().due;
}

Waiting DueQueue::take(const Waiting& waiting) {
  auto node = window_.extract(position_of(waiting.delivery));
  CHECK(!node.empty());
  return std::move(node.mapped());
}

}  // namespace petrel::engine
