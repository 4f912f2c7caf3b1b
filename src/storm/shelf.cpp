#include "storm/shelf.h"

#include "base/check.h"

namespace petrel::storm {

void Shelf::put(const model::Delivery& delivery) {
  CHECK(delivery.is_live());
  Queue& queue = queues_[{delivery.key.endpoint, store::due_class(delivery.state)}];
  queue.emplace(store::DuePosition{delivery.due_at, delivery.key.message}, delivery);
}

void Shelf::settle(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  Queue& before = queues_[{delivery.key.endpoint, store::due_class(settlement.state_before)}];
  CHECK(before.erase({settlement.due_before, delivery.key.message}) == 1);
  if (delivery.is_live()) put(delivery);
}

store::DuePage Shelf::load(const store::DueQuery& query) const {
  store::DuePage page;
  const auto queue = queues_.find({query.endpoint, query.queue});
  if (queue == queues_.end()) return page;
  const Queue& waiting = queue->second;
  auto next = query.after ? waiting.upper_bound(*query.after) : waiting.begin();
  for (; next != waiting.end() && page.deliveries.size() < query.limit; ++next) {
    page.deliveries.push_back(next->second);
  }
  page.has_more = next != waiting.end();
  return page;
}

}  // namespace petrel::storm
