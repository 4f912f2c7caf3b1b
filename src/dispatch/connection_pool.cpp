#include "dispatch/connection_pool.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "dispatch/connection.h"

namespace petrel::dispatch {

ConnectionPool::ConnectionPool(const PoolSettings& settings) : settings_(settings) {}
ConnectionPool::~ConnectionPool() = default;

std::unique_ptr<Connection> ConnectionPool::take(const std::string& key, MonoTime now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  auto& idles = found->second;
  std::unique_ptr<Connection> usable;
  while (!idles.empty() && usable == nullptr) {
    const auto last = idles.back();
    const bool is_usable = !is_worn(*last, now) && last->connection->is_quiet();
    if (is_usable) usable = std::move(last->connection);
    idles.pop_back();
    idle_.erase(last);
  }
  if (usable == nullptr) {
    by_key_.erase(found);
  } else {
    usable->is_reused = true;
  }
  show();
  return usable;
}

void ConnectionPool::give(std::unique_ptr<Connection> connection, MonoTime now) {
  if (settings_.idle_max == 0 || settings_.idle_per_origin_max == 0) return;
  if (now - connection->born_at >= settings_.age_max) return;
  if (idle_time(*connection) <= Duration::zero()) return;
  auto& idles = by_key_[connection->pool_key()];
  idle_.push_back(Idle{std::move(connection), now});
  idles.push_back(std::prev(idle_.end()));
  if (idles.size() > settings_.idle_per_origin_max) drop(idles.front());
  if (idle_.size() > settings_.idle_max) drop(idle_.begin());
  show();
}

void ConnectionPool::sweep(MonoTime now) {
  for (auto idle = idle_.begin(); idle != idle_.end();) {
    const auto next = std::next(idle);
    if (is_worn(*idle, now)) drop(idle);
    idle = next;
  }
  std::erase_if(by_key_, [](const auto& entry) { return entry.second.empty(); });
  show();
}

std::unique_ptr<Connection> ConnectionPool::take_oldest() {
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> oldest = std::move(idle_.front().connection);
  forget(idle_.begin(), oldest->pool_key());
  show();
  return oldest;
}

Duration ConnectionPool::idle_time(const Connection& connection) const {
  return std::min(settings_.idle_time_max,
                  connection.idle_time_max.value_or(settings_.idle_time_max));
}

bool ConnectionPool::is_worn(const Idle& idle, MonoTime now) const {
  return now - idle.since >= idle_time(*idle.connection) ||
         now - idle.connection->born_at >= settings_.age_max;
}

void ConnectionPool::drop(Idles::iterator idle) {
  const std::unique_ptr<Connection> connection = std::move(idle->connection);
  forget(idle, connection->pool_key());
}

void ConnectionPool::forget(Idles::iterator idle, const std::string& key) {
  const auto found = by_key_.find(key);
  CHECK(found != by_key_.end());  // Ours: both lists hold the same connections.
  auto& idles = found->second;
  idles.erase(std::find(idles.begin(), idles.end(), idle));
  if (idles.empty()) by_key_.erase(found);
  idle_.erase(idle);
}

void ConnectionPool::show() {
  if (shown_ == nullptr) return;
  shown_->count.store(idle_.size(), std::memory_order_relaxed);
  shown_->oldest_since.store(idle_.empty() ? MonoTime::max() : idle_.front().since,
                             std::memory_order_relaxed);
}

}  // namespace petrel::dispatch
