#include "net/name_cache.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace petrel::net {

NameCache::NameCache(std::size_t names_max) : names_max_(names_max) {
  CHECK(names_max >= 1);  // Ours: a constant of the settings.
}

ResolutionPtr NameCache::find(const std::string& name, MonoTime now) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  const auto entry = found->second;
  if (entry->kept_until <= now) {
    erase(entry);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->resolution;
}

void NameCache::put(const std::string& name, ResolutionPtr resolution, Duration ttl, MonoTime now) {
  const Duration kept = std::clamp(ttl, kKeptMin, kKeptMax);
  if (const auto old = by_name_.find(name); old != by_name_.end()) erase(old->second);
  if (resolution->kind != Resolution::Kind::Found) return;
  if (entries_.size() >= names_max_) erase(std::prev(entries_.end()));
  entries_.push_front(Entry{name, std::move(resolution), now + kept});
  by_name_[name] = entries_.begin();
}

void NameCache::erase(Entries::iterator entry) {
  by_name_.erase(entry->name);
  entries_.erase(entry);
}

}  // namespace petrel::net
