#include "net/name_waits.h"

#include <algorithm>
#include <iterator>

namespace petrel::net {

std::optional<Duration> NameWaits::left(const std::string& name, MonoTime now) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || found->second->until <= now) return std::nullopt;
  return found->second->until - now;
}

Duration NameWaits::failed(const std::string& name, MonoTime now) {
  Duration wait = kFirst;
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    const Entry& before = *found->second;
    if (now < before.until + kForgottenAfter) wait = std::min(2 * before.wait, kLongest);
    entries_.erase(found->second);
  } else if (entries_.size() >= names_max_) {
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
  entries_.push_front(Entry{name, now + wait, wait});
  by_name_[name] = entries_.begin();
  return wait;
}

void NameWaits::answered(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  entries_.erase(found->second);
  by_name_.erase(found);
}

}  // namespace petrel::net
