#include "engine/slot_budget.h"

#include <algorithm>

namespace petrel::engine {
namespace {

constexpr std::uint64_t kSlotsMost = 65'536;

// What an attempt in flight takes up while nothing is in its buffers.
constexpr std::uint64_t kSlotBytes = std::uint64_t{16} << 10U;

// A lane may have this part of what is left of the further slots.
constexpr int kParts = 4;

int first_of(int slots, int first_percent) {
  return std::clamp((slots * first_percent + 99) / 100, 1, slots);
}

}  // namespace

int slot_count(std::size_t connections, std::uint64_t memory_bytes) {
  const std::uint64_t most =
      std::min({kSlotsMost, static_cast<std::uint64_t>(connections), memory_bytes / kSlotBytes});
  return static_cast<int>(std::max<std::uint64_t>(most, 1));
}

SlotBudget::SlotBudget(int slots, std::size_t shards, int first_percent)
    : first_(first_of(slots, first_percent), shards),
      further_(slots - first_of(slots, first_percent), shards) {}

SlotBudget::Share::Share(int slots, std::size_t count)
    : most(slots), shards(count), wants(std::make_unique<std::atomic<int>[]>(count)) {
  for (std::size_t i = 0; i < shards; ++i) wants[i] = kNone;
}

bool SlotBudget::Share::fits(int further) const { return kParts * further < most - taken.load(); }

bool SlotBudget::Share::take(int further) {
  int before = taken.load();
  while (kParts * further < most - before) {
    if (taken.compare_exchange_weak(before, before + 1)) return true;
  }
  return false;
}

void SlotBudget::Share::want(std::size_t shard, int further) {
  if (wants[shard].exchange(further) == kNone) ++shards_waiting;
}

void SlotBudget::Share::want_at_most(std::size_t shard, int further) {
  int before = wants[shard].load();
  while (before > further) {
    if (!wants[shard].compare_exchange_weak(before, further)) continue;
    if (before == kNone) ++shards_waiting;
    return;
  }
}

bool SlotBudget::Share::want_none(std::size_t shard) {
  if (wants[shard].exchange(kNone) == kNone) return false;
  --shards_waiting;
  return true;
}

// Ends when nobody who waits may have one: whoever takes what was meant for another has won a race,
// and will be here again when he gives it back.
std::optional<std::size_t> SlotBudget::Share::offer_after(std::size_t shard) {
  bool is_tried_again = true;
  while (is_tried_again && shards_waiting.load() > 0) {
    is_tried_again = false;
    for (std::size_t i = 1; i <= shards; ++i) {
      const std::size_t next = (shard + i) % shards;
      const int further = wants[next].load();
      if (further == kNone || !fits(further) || !want_none(next)) continue;
      if (take(further)) return next;
      want_at_most(next, further);
      is_tried_again = true;
    }
  }
  return std::nullopt;
}

bool SlotBudget::try_take(std::size_t shard, int held) {
  Share& share = share_of(slot_kind(held));
  if (share.take(further(held))) return true;
  // Said first and tried once more: who gives one back either sees that we wait, or we see it.
  share.want(shard, further(held));
  if (!share.take(further(held))) return false;
  share.want_none(shard);
  return true;
}

std::optional<std::size_t> SlotBudget::give_back(std::size_t shard, SlotKind kind) {
  Share& share = share_of(kind);
  --share.taken;
  return share.offer_after(shard);
}

bool SlotBudget::fits_given(int held) const {
  return held == 0 || kParts * further(held) <= further_.most - further_.taken.load();
}

void SlotBudget::stop_waiting(std::size_t shard, SlotKind kind) { share_of(kind).want_none(shard); }

}  // namespace petrel::engine
