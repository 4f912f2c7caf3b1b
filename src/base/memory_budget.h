// MemoryBudget bounds what is in memory at once of what comes from outside: requests, responses and
// payloads. Whoever wants to keep bytes asks first; whoever is refused says so (503) or waits.
//
//   clients      requests, responses, messages until they are on disk    at most a half
//   deliveries   payloads to be sent, responses of receivers             at most three quarters
//
// The two sides overlap, but neither can take everything: producers are heard while receivers
// hang, and deliveries go on while producers press.
//
// On each side the bytes of an account, which is an application as a rule, may be at most as many
// as are still free. So the one that has the most is refused first, and one that comes late finds
// room: one account alone leaves half of it free. What a side has beyond its bound, because it was
// there already, does not take from what the other side may have.
//
// Small things belong to no account: see kNamedMin. What happens many times in a millisecond goes
// through a MemoryShare, which counts in plain numbers and draws larger steps from here.
//
// Thread: safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/function.h"
#include "base/guarded.h"

namespace petrel {

enum class MemoryUse : std::uint8_t {
  Requests,   // Of clients: connections, and requests until they are answered.
  Responses,  // To clients: until they are read.
  Messages,   // Payloads until they are on disk.
  Payloads,   // That are sent, or are about to be.
  Results,    // What receivers answer.
};

inline constexpr std::array kMemoryUses = {MemoryUse::Requests, MemoryUse::Responses,
                                           MemoryUse::Messages, MemoryUse::Payloads,
                                           MemoryUse::Results};

std::string_view to_string(MemoryUse use);

enum class MemorySide : std::uint8_t { Clients, Deliveries };

MemorySide side_of(MemoryUse use);

// What one application has, or an address that none is known of.
class MemoryAccount {
 public:
  explicit MemoryAccount(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::size_t used(MemorySide side) const { return of(side).load(std::memory_order_relaxed); }

 private:
  friend class MemoryBudget;

  std::atomic<std::size_t>& of(MemorySide side) { return used_[static_cast<std::size_t>(side)]; }
  const std::atomic<std::size_t>& of(MemorySide side) const {
    return used_[static_cast<std::size_t>(side)];
  }

  const std::string name_;
  std::array<std::atomic<std::size_t>, 2> used_{};
};

using MemoryAccountPtr = std::shared_ptr<MemoryAccount>;

class MemoryBudget;

// The right to keep so many bytes. Movable; given back when it goes.
class MemoryHold {
 public:
  MemoryHold() = default;  // None.
  MemoryHold(MemoryHold&& other) noexcept
      : budget_(std::move(other.budget_)),
        account_(std::move(other.account_)),
        bytes_(std::exchange(other.bytes_, 0)),
        use_(other.use_) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept;
  ~MemoryHold() { give_back(); }

  explicit operator bool() const { return budget_ != nullptr; }
  std::size_t bytes() const { return bytes_; }

  // From now on the bytes are used for something else. False if there is no room for that: then all
  // stays as it was.
  [[nodiscard]] bool turn_into(MemoryUse use);

 private:
  friend class MemoryBudget;

  MemoryHold(std::shared_ptr<MemoryBudget> budget, MemoryAccountPtr account, std::size_t bytes,
             MemoryUse use)
      : budget_(std::move(budget)), account_(std::move(account)), bytes_(bytes), use_(use) {}
  void give_back();

  std::shared_ptr<MemoryBudget> budget_;  // Outlived by no hold, wherever that has gone.
  MemoryAccountPtr account_;              // Null: nobody's in particular.
  std::size_t bytes_ = 0;
  MemoryUse use_ = MemoryUse::Requests;
};

class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  // From here on something has to have an account: 4,096 of what is smaller are a few hundred MiB
  // at most, and are bounded by their number.
  static constexpr std::size_t kNamedMin = std::size_t{64} << 10U;

  struct UseCounts {
    std::size_t used = 0;
    std::uint64_t refused = 0;  // Or put off.
  };
  struct Counts {
    std::size_t max = 0;
    std::array<UseCounts, kMemoryUses.size()> uses{};

    std::size_t used() const;
    std::uint64_t refused() const;
  };

  static std::shared_ptr<MemoryBudget> make(std::size_t bytes_max);

  // For worlds without a bound.
  static std::shared_ptr<MemoryBudget> unlimited();

  explicit MemoryBudget(std::size_t bytes_max);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // The account of this name, which is there for as long as somebody has it.
  MemoryAccountPtr account(std::string_view name);

  // Empty if there is no room. `account` may be null.
  [[nodiscard]] MemoryHold take(MemoryUse use, std::size_t bytes, MemoryAccountPtr account);

  // Also if there is no room: for what is small and bounded by its number.
  MemoryHold take_anyway(MemoryUse use, std::size_t bytes);

  // Whether take() would succeed now.
  bool has_room(MemoryUse use, std::size_t bytes, const MemoryAccount* account) const;

  // As take() and its end, for callers who count for themselves.
  [[nodiscard]] bool draw(MemoryUse use, std::size_t bytes, MemoryAccount* account);
  void draw_anyway(MemoryUse use, std::size_t bytes);  // For what is there already.
  void give_back(MemoryUse use, std::size_t bytes, MemoryAccount* account);

  // The part of draw() that concerns the account, where the bytes themselves come out of a share.
  [[nodiscard]] bool charge(MemoryAccount& account, MemorySide side, std::size_t bytes);
  void credit(MemoryAccount& account, MemorySide side, std::size_t bytes);

  // Somebody was refused, or has to wait.
  void note_refused(MemoryUse use, const MemoryAccount* account);

  // Calls `tell` once, on whatever thread, when something was given back. There may be room by then
  // already: look once more after this.
  void when_freed(Function<void()> tell);

  std::size_t max() const { return max_; }
  std::size_t used(MemoryUse use) const { return cell(use).used.load(std::memory_order_relaxed); }
  Counts counts() const;

  // Whose bytes there were the last time that somebody was refused. Empty: nobody's in particular.
  std::string last_refused() const;

 private:
  // On cache lines of their own, as every loop counts there.
  struct alignas(64) Cell {
    std::atomic<std::size_t> used{0};
    std::atomic<std::uint64_t> refused{0};
  };
  struct alignas(64) Total {
    std::atomic<std::size_t> used{0};
  };
  using Accounts = std::unordered_map<std::string, std::weak_ptr<MemoryAccount>>;
  struct Names {
    Accounts accounts;
    std::size_t look_at = 64;  // How many there are when those that are gone are swept out.
  };

  Cell& cell(MemoryUse use) { return cells_[static_cast<std::size_t>(use)]; }
  const Cell& cell(MemoryUse use) const { return cells_[static_cast<std::size_t>(use)]; }
  std::atomic<std::size_t>& total(MemorySide side) {
    return totals_[static_cast<std::size_t>(side)].used;
  }
  std::size_t used_on(MemorySide side) const {
    return totals_[static_cast<std::size_t>(side)].used.load();
  }
  std::size_t max_of(MemorySide side) const;
  std::size_t used_for_others(MemorySide side) const;
  std::size_t free_for(MemorySide side) const;
  void tell_waiting();

  const std::size_t max_;
  std::array<Total, 2> totals_;
  std::array<Cell, kMemoryUses.size()> cells_;
  std::atomic<bool> is_waited_for_{false};
  Guarded<std::vector<Function<void()>>> waiting_;
  Guarded<Names> names_;
  Guarded<std::string> last_refused_;
};

}  // namespace petrel
