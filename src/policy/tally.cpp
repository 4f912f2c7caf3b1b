#include "policy/tally.h"

namespace petrel::policy {

void Tally::add(const Outcome& outcome) {
  const std::uint16_t way = outcome.way();
  for (Entry& entry : entries_) {
    if (entry.way != way) continue;
    ++entry.count;
    return;
  }
  entries_.push_back({way, 1});
}

int Tally::count(const Selector& selector) const {
  int count = 0;
  for (const Entry& entry : entries_) {
    if (selector.matches(Outcome::from_way(entry.way))) count += entry.count;
  }
  return count;
}

}  // namespace petrel::policy
