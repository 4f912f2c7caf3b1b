#include "store/condition.h"

#include <utility>

namespace petrel::store {

ConditionBoard::ConditionBoard(const Clock& clock, Listeners listeners)
    : clock_(clock), listeners_(std::move(listeners)) {}

void ConditionBoard::found_damage(const std::string& name, const std::string& what) {
  const StoreDamage damage{name, what, clock_.wall()};
  {
    const std::lock_guard lock(mutex_);
    if (names_.size() == kNamesMax || !names_.insert(name).second) return;
    ++condition_.damage_total;
    if (condition_.damage.size() < kListedMax) condition_.damage.push_back(damage);
  }
  if (listeners_.damage) listeners_.damage(damage);
}

void ConditionBoard::wrote() {
  const WallTime now = clock_.wall();
  {
    const std::lock_guard lock(mutex_);
    condition_.written_at = now;
    wrote_at_ = clock_.mono();
    if (std::exchange(condition_.takes_writes, true)) return;
    condition_.why_not.clear();
  }
  if (listeners_.writes) listeners_.writes({});
}

void ConditionBoard::refuses_writes(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    condition_.why_not = why;
    if (!std::exchange(condition_.takes_writes, false)) return;
  }
  if (listeners_.writes) listeners_.writes(why);
}

StoreCondition ConditionBoard::condition() const {
  const std::lock_guard lock(mutex_);
  return condition_;
}

bool ConditionBoard::has_written_within(Duration age) const {
  const MonoTime now = clock_.mono();
  const std::lock_guard lock(mutex_);
  return condition_.takes_writes && wrote_at_ && now - *wrote_at_ < age;
}

}  // namespace petrel::store
