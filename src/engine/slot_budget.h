// SlotBudget divides the slots of a node, of which each attempt in flight takes one, among lanes
// and shards, so that receivers that hang, however many, leave room for the others.
//
// Of S slots half are for the first one that each lane holds. The other half is shared by dynamic
// thresholds (Choudhury and Hahne, known from the buffers of switches): a lane that holds e further
// slots may take one more while
//
//   e < (S/2 − E) ÷ 4          E: the further slots of all lanes
//
//   S = 100:  one lane alone gets 1 + 10; with four at it each gets 1 + 7, and 22 stay free
//
// Whoever is refused waits, and no slot that becomes free passes by a shard that waits: it is taken
// for that shard at once, which has to be told. Shards are served in turn.
//
// It counts and never blocks: a slot that nobody waits for costs two atomic operations to take and
// to give back.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace petrel::engine {

// What is S for a node that may have so many connections to receivers, and so much memory.
int slot_count(std::size_t connections, std::uint64_t memory_bytes);

enum class SlotKind : std::uint8_t { First, Further };

// Of the next slot that a lane takes which holds so many, or of the last that it holds besides.
constexpr SlotKind slot_kind(int held) { return held == 0 ? SlotKind::First : SlotKind::Further; }

class SlotBudget {
 public:
  // Of an odd number the greater half is for first slots. Even one slot is one.
  SlotBudget(int slots, std::size_t shards, int first_percent = 50);

  // A slot for a lane of the shard that holds `held` slots. If there is none, the shard waits.
  [[nodiscard]] bool try_take(std::size_t shard, int held);

  // The shard that has waited for this one, and has it now: it may be the one that gives it back.
  // Empty if none of those that wait may have it.
  [[nodiscard]] std::optional<std::size_t> give_back(std::size_t shard, SlotKind kind);

  // Whether a shard that was given a slot may use it for a lane that holds `held` slots.
  bool fits_given(int held) const;

  // None of the shard's lanes waits any more. It may have been given a slot meanwhile.
  void stop_waiting(std::size_t shard, SlotKind kind);

  // For metrics: of how many lanes it was told that they wait.
  void note_waiting(int more) { lanes_waiting_.fetch_add(more, std::memory_order_relaxed); }

  int slots() const { return first_.most + further_.most; }
  int in_use() const { return first_.taken.load() + further_.taken.load(); }
  int lanes_waiting() const { return lanes_waiting_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kNone = std::numeric_limits<int>::max();

  // First slots are the same with e = 0. On a cache line of its own, as every loop counts there.
  struct alignas(64) Share {
    Share(int slots, std::size_t shards);

    bool fits(int further) const;
    bool take(int further);
    void want(std::size_t shard, int further);
    void want_at_most(std::size_t shard, int further);
    bool want_none(std::size_t shard);
    std::optional<std::size_t> offer_after(std::size_t shard);

    const int most;
    const std::size_t shards;
    // The fewest further slots that a waiting lane of each shard holds.
    const std::unique_ptr<std::atomic<int>[]> wants;
    std::atomic<int> taken{0};
    std::atomic<int> shards_waiting{0};
  };

  Share& share_of(SlotKind kind) { return kind == SlotKind::First ? first_ : further_; }
  static int further(int held) { return held > 0 ? held - 1 : 0; }

  Share first_;
  Share further_;
  std::atomic<int> lanes_waiting_{0};
};

}  // namespace petrel::engine
