// NotedAttempts is one shard's share of an InFlightNote: it gives each delivery that goes on an
// attempt a place of its own there.
//
// A shard has as many places as slots. If there are none left, a delivery is not noted, and no
// worse for it.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "engine/in_flight_note.h"
#include "model/delivery.h"

namespace petrel::engine {

// The places of a note from `first` on.
struct NotePlaces {
  std::size_t first = 0;
  std::size_t count = 0;
};

class NotedAttempts {
 public:
  NotedAttempts(InFlightNote& note, NotePlaces places) : note_(note) {
    for (std::size_t i = places.count; i > 0; --i) free_.push_back(places.first + i - 1);
    taken_.reserve(places.count);
  }

  void began(const model::DeliveryKey& delivery) {
    if (free_.empty()) return;
    const auto [noted, is_new] = taken_.try_emplace(delivery, free_.back());
    if (!is_new) return;
    free_.pop_back();
    note_.began(noted->second, delivery);
  }

  // No effect if it is not noted.
  void ended(const model::DeliveryKey& delivery) {
    const auto noted = taken_.find(delivery);
    if (noted == taken_.end()) return;
    note_.ended(noted->second);
    free_.push_back(noted->second);
    taken_.erase(noted);
  }

 private:
  InFlightNote& note_;
  std::vector<std::size_t> free_;
  std::unordered_map<model::DeliveryKey, std::size_t> taken_;
};

}  // namespace petrel::engine
