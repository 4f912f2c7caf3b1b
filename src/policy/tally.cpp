#include "policy/tally.h"

namespace petrel::policy {

void Tally::add(const Outcome& outcome) {
  const std::uint16_t code = outcome.code();
  for (Entry& entry : entries_) {
    if (entry.code != code) continue;
    ++entry.count;
    return;
  }
  entries_.push_back({code, 1});
}

int Tally::count(const Selector& selector) const {
  int count = 0;
  for (const Entry& entry : entries_) {
    if (selector.matches(Outcome::from_code(entry.code))) count += entry.count;
  }
  return count;
}

}  // namespace petrel::policy
