// StoreCondition is how a store is, for the people who run it: whether it takes writes, when it
// last did, and what of it is known to be damaged.
//
//   takes_writes = false, why_not = "the store's disk is full: …"
//   damage = { "000123.sst: block checksum mismatch", "delivery ep_… msg_…: cannot be read" }
//
// Names are those of files and records, never of folders.
//
// ConditionBoard is where a store's threads note it.
//
// Thread: StoreCondition is a value. ConditionBoard: safe.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/time.h"

namespace petrel::store {

struct StoreDamage {
  std::string name;  // "000123.sst", "delivery ep_… msg_…"
  std::string what;  // What is wrong with it, in a few words.
  WallTime found_at;

  friend bool operator==(const StoreDamage&, const StoreDamage&) = default;
};

struct StoreCondition {
  bool takes_writes = true;
  std::string why_not;  // If it does not: a sentence.

  // When a write last got to the disk; empty if none has since the start.
  std::optional<WallTime> written_at;

  // The first of what was found damaged since the start, each once. What is not listed is counted.
  std::vector<StoreDamage> damage;
  std::uint64_t damage_total = 0;

  bool is_well() const { return takes_writes && damage_total == 0; }
};

class ConditionBoard {
 public:
  static constexpr std::size_t kListedMax = 100;
  static constexpr std::size_t kNamesMax = 10'000;  // Beyond, nothing more is counted.

  // Whom to tell, each on the thread that has found it out. Both may be empty.
  struct Listeners {
    std::function<void(const StoreDamage&)> damage;  // Of each new damage, once.

    // When the store stops taking writes (why), and when it takes them again (empty).
    std::function<void(const std::string& why)> writes;
  };

  explicit ConditionBoard(const Clock& clock, Listeners listeners = {});

  void found_damage(const std::string& name, const std::string& what);
  void wrote();
  void refuses_writes(const std::string& why);

  StoreCondition condition() const;

  // Whether it takes writes, and one got to the disk so short a time ago, whatever the wall clock
  // has done since.
  bool has_written_within(Duration age) const;

 private:
  const Clock& clock_;
  const Listeners listeners_;

  mutable std::mutex mutex_;
  StoreCondition condition_;
  std::optional<MonoTime> wrote_at_;
  std::unordered_set<std::string> names_;
};

}  // namespace petrel::store
