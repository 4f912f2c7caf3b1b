#include "app/attempt_feed.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::app {

void AttemptFeed::set_endpoints(const std::vector<std::string>& ids, MonoTime now) {
  const std::set<std::string> wanted(ids.begin(), ids.end());
  std::erase_if(endpoints_, [&](const auto& each) { return !wanted.contains(each.first); });
  for (const std::string& id : wanted) {
    endpoints_.try_emplace(id, Watched{.due_at = now, .wait = settings_.wait_first});
  }
}

std::optional<AttemptFeed::Next> AttemptFeed::next() const {
  const auto first = std::min_element(
      endpoints_.begin(), endpoints_.end(),
      [](const auto& one, const auto& other) { return one.second.due_at < other.second.due_at; });
  if (first == endpoints_.end()) return std::nullopt;
  return Next{first->first, first->second.due_at};
}

bool AttemptFeed::is_news(const std::string& endpoint, const std::string& attempt) {
  const auto found = endpoints_.find(endpoint);
  CHECK(found != endpoints_.end());
  Watched& watched = found->second;
  if (!watched.known.insert(attempt).second) return false;
  watched.in_order.push_back(attempt);
  if (watched.in_order.size() > settings_.remembered_max) {
    watched.known.erase(watched.in_order.front());
    watched.in_order.pop_front();
  }
  return true;
}

void AttemptFeed::asked(const std::string& endpoint, bool had_news, MonoTime now) {
  const auto found = endpoints_.find(endpoint);
  if (found == endpoints_.end()) return;
  Watched& watched = found->second;
  watched.wait = had_news ? settings_.wait_first : std::min(watched.wait * 2, settings_.wait_max);
  watched.due_at = now + watched.wait;
}

}  // namespace petrel::app
