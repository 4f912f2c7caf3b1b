// SlotLine is where lanes of one shard stand that wait for a slot: those that hold fewest go first,
// and among them those that came first.
//
// Thread: confined.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/id.h"

namespace petrel::engine {

struct SlotPlace {
  int held = 0;            // Slots that the lane holds already.
  std::uint64_t turn = 0;  // Grows with each lane that begins to wait.

  friend auto operator<=>(const SlotPlace&, const SlotPlace&) = default;
};

class SlotLine {
 public:
  void join(const SlotPlace& place, EndpointId endpoint) { lanes_.emplace(place, endpoint); }

  // REQUIRES: a lane stands there.
  void leave(const SlotPlace& place) { lanes_.erase(place); }

  // Whether one with such a place would not be the first.
  bool is_behind(const SlotPlace& place) const {
    return !lanes_.empty() && lanes_.begin()->first < place;
  }

  bool is_empty() const { return lanes_.empty(); }
  std::size_t size() const { return lanes_.size(); }

  // REQUIRES: it is not empty.
  EndpointId front() const { return lanes_.begin()->second; }

 private:
  std::map<SlotPlace, EndpointId> lanes_;
};

}  // namespace petrel::engine
