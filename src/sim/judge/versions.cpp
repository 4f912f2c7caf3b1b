#include "sim/judge/versions.h"

#include <algorithm>
#include <utility>

#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

// Five changes of one thing under way together have 326 orders. With more of them the judge would
// rather know less than take for ever.
constexpr std::size_t kPossibleMax = 400;

}  // namespace

void Versions::asked(std::uint64_t number, const JsonValue& change) {
  open_.push_back({number, change});
  combine();
}

void Versions::combine() {
  for (std::size_t i = 0; i < possible_.size() && possible_.size() < kPossibleMax; ++i) {
    for (const Change& change : open_) {
      if (possible_[i].applied.contains(change.number)) continue;
      Version next{merged(possible_[i].json, change.json), possible_[i].applied};
      next.applied.insert(change.number);
      const bool is_last = open_.back().number == change.number;
      // An order that was there before the last change came is not made a second time.
      if (!is_last && !next.applied.contains(open_.back().number)) continue;
      possible_.push_back(std::move(next));
    }
  }
}

void Versions::happened(std::uint64_t number) {
  std::erase_if(open_, [&](const Change& change) { return change.number == number; });
  std::erase_if(possible_, [&](const Version& each) { return !each.applied.contains(number); });
  forget(number);
}

void Versions::did_not_happen(std::uint64_t number) {
  std::erase_if(open_, [&](const Change& change) { return change.number == number; });
  std::erase_if(possible_, [&](const Version& each) { return each.applied.contains(number); });
  forget(number);
}

// What became of it is known: what differed in nothing else is the same from here on.
void Versions::forget(std::uint64_t number) {
  for (Version& each : std::exchange(possible_, {})) {
    each.applied.erase(number);
    const auto is_known = [&](const Version& other) {
      return other.applied == each.applied && is_same(other.json, each.json);
    };
    if (std::none_of(possible_.begin(), possible_.end(), is_known)) {
      possible_.push_back(std::move(each));
    }
  }
}

}  // namespace petrel::sim::judge
