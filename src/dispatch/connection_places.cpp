#include "dispatch/connection_places.h"

#include <utility>

#include "dispatch/connection.h"

namespace petrel::dispatch {
namespace {

net::DescriptorPlace evict_from(ConnectionPool& pool, net::DescriptorBudget& budget) {
  const std::unique_ptr<Connection> connection = pool.take_oldest();
  if (connection == nullptr) return {};
  budget.note_eviction();
  return std::move(connection->place);
}

}  // namespace

ConnectionPlaces::ConnectionPlaces(Parts parts, const PoolSettings& pool)
    : parts_(std::move(parts)), pool_(std::make_shared<ConnectionPool>(pool)) {
  pool_->show_in(parts_.idle->join(
      parts_.loop, [weak = std::weak_ptr(pool_), budget = parts_.budget]() -> net::DescriptorPlace {
        const auto own = weak.lock();
        if (own == nullptr) return {};
        return evict_from(*own, *budget);
      }));
}

net::DescriptorPlace ConnectionPlaces::take() {
  net::DescriptorPlace place = parts_.budget->take_outgoing();
  if (!place) place = evict_from(*pool_, *parts_.budget);
  return place;
}

void ConnectionPlaces::find(Found found) {
  parts_.idle->free_one(
      parts_.loop, [budget = parts_.budget, found = std::move(found)](net::DescriptorPlace place) {
        // One may have come free while the other loop was asked.
        if (!place) place = budget->take_outgoing();
        if (!place) budget->note_refused();
        found(std::move(place));
      });
}

void ConnectionPlaces::relieve(std::function<void(bool is_freed)> done) {
  parts_.budget->note_shortage();
  if (evict_from(*pool_, *parts_.budget)) return done(true);
  parts_.idle->free_one(parts_.loop, [done = std::move(done)](net::DescriptorPlace place) {
    const bool is_freed = static_cast<bool>(place);
    place = {};
    done(is_freed);
  });
}

}  // namespace petrel::dispatch
