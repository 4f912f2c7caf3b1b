// OngoingAttempts knows which deliveries have an attempt in flight, for those who do not run on the
// lanes' own threads: it is what lets a list say `sending`.
//
// It is told of every attempt, so it is split into parts with a lock each: shards rarely meet at
// one.
//
// Thread: safe.

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_set>

#include "model/delivery.h"

namespace petrel::engine {

class OngoingAttempts {
 public:
  void began(const model::DeliveryKey& delivery) {
    Part& part = part_of(delivery);
    const std::lock_guard lock(part.mutex);
    part.deliveries.insert(delivery);
  }

  void ended(const model::DeliveryKey& delivery) {
    Part& part = part_of(delivery);
    const std::lock_guard lock(part.mutex);
    part.deliveries.erase(delivery);
  }

  bool has(const model::DeliveryKey& delivery) const {
    const Part& part = parts_[index_of(delivery)];
    const std::lock_guard lock(part.mutex);
    return part.deliveries.contains(delivery);
  }

 private:
  static constexpr std::size_t kParts = 64;

  struct alignas(64) Part {
    mutable std::mutex mutex;
    std::unordered_set<model::DeliveryKey> deliveries;
  };

  static std::size_t index_of(const model::DeliveryKey& delivery) {
    // The upper bits: the set's own buckets go by the lower ones.
    return (std::hash<model::DeliveryKey>()(delivery) >> 32) % kParts;
  }
  Part& part_of(const model::DeliveryKey& delivery) { return parts_[index_of(delivery)]; }

  std::array<Part, kParts> parts_;
};

}  // namespace petrel::engine
