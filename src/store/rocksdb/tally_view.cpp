#include "store/rocksdb/tally_view.h"

#include <algorithm>

namespace petrel::store {
namespace {

// A few at most: the endpoint's own, and the hours and days that it was counted in lately.
template <typename Entries>
auto find_in(Entries& entries, const TallyKey& key) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const TallyEntry& entry) { return entry.key == key; });
}

}  // namespace

void TallyView::publish(const TallyEntries& changed) {
  const std::lock_guard lock(mutex_);
  for (const TallyEntry& entry : changed) {
    TallyEntries& of_endpoint = entries_[entry.key.endpoint];
    const auto place = find_in(of_endpoint, entry.key);
    if (place != of_endpoint.end()) {
      place->counts = entry.counts;
    } else {
      of_endpoint.push_back(entry);
      ++size_;
    }
  }
}

void TallyView::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  size_ = 0;
}

std::size_t TallyView::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::optional<TallyCounts> TallyView::find(const TallyKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto of_endpoint = entries_.find(key.endpoint);
  if (of_endpoint == entries_.end()) return std::nullopt;
  const auto place = find_in(of_endpoint->second, key);
  if (place == of_endpoint->second.end()) return std::nullopt;
  return place->counts;
}

TallyView::Sight TallyView::see(Database& database, EndpointId endpoint) const {
  const std::lock_guard lock(mutex_);
  Sight sight;
  sight.snapshot = std::make_unique<Snapshot>(database);
  const auto found = entries_.find(endpoint);
  if (found != entries_.end()) sight.changed = found->second;
  return sight;
}

}  // namespace petrel::store
