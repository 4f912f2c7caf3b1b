// SuspectList says which deliveries are kept apart from the others, since the server crashed while
// an attempt of theirs was in flight: what is Barred is not sent at all, and of what goes Alone one
// is in flight at a time, over all shards.
//
// It is empty unless there was a crash, and asking it costs nothing then.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/guarded.h"
#include "model/delivery.h"

namespace petrel::engine {

enum class Suspicion : std::uint8_t {
  None,
  Watched,  // Goes like every other.
  Alone,    // Goes if no other of these is in flight.
  Barred,   // Does not go.
};

class SuspectList {
 public:
  struct Entry {
    Suspicion suspicion = Suspicion::None;
    std::string why = {};  // It does not go, or not yet, in plain words.
  };

  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  Suspicion of(const model::DeliveryKey& delivery) const {
    return find(delivery).value_or(Entry{}).suspicion;
  }

  // Empty if there is nothing against it.
  std::optional<Entry> find(const model::DeliveryKey& delivery) const {
    if (is_empty()) return std::nullopt;
    return known_.with([&](const Known& known) -> std::optional<Entry> {
      const auto found = known.entries.find(delivery);
      if (found == known.entries.end()) return std::nullopt;
      return found->second;
    });
  }

  // Of no suspicion: as clear().
  void put(const model::DeliveryKey& delivery, Entry entry) {
    if (entry.suspicion == Suspicion::None) return clear(delivery);
    known_.with([&](Known& known) {
      known.entries.insert_or_assign(delivery, std::move(entry));
      count_.store(known.entries.size(), std::memory_order_release);
    });
  }

  void clear(const model::DeliveryKey& delivery) {
    known_.with([&](Known& known) {
      known.entries.erase(delivery);
      count_.store(known.entries.size(), std::memory_order_release);
    });
  }

  // For one that goes Alone. False while another has the turn.
  [[nodiscard]] bool take_turn(const model::DeliveryKey& delivery) {
    return known_.with([&](Known& known) {
      if (known.turn && *known.turn != delivery) return false;
      known.turn = delivery;
      return true;
    });
  }

  bool is_turn_free() const {
    return known_.with([](const Known& known) { return !known.turn; });
  }

  // True if it had the turn: the next one may go.
  [[nodiscard]] bool give_turn_back(const model::DeliveryKey& delivery) {
    return known_.with([&](Known& known) {
      const bool had_it = known.turn == delivery;
      if (had_it) known.turn.reset();
      return had_it;
    });
  }

 private:
  struct Known {
    std::unordered_map<model::DeliveryKey, Entry> entries;
    std::optional<model::DeliveryKey> turn;
  };

  std::atomic<std::size_t> count_ = 0;
  Guarded<Known> known_;
};

}  // namespace petrel::engine
