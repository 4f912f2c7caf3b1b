// DescriptorBudget divides the file descriptors that this process may have, so that no use of them
// starves another: connections to receivers and accepted connections have a share each, and the
// store's files and what the process itself needs are left out of both.
//
//   of 1,024:   store 256 │ the process 40 │ accepted 242 │ outgoing 486
//
// Every connection draws a place from its share before its socket is made, and gives it back when
// it is gone. Places are counted, not enforced: should the system run out all the same (other
// processes have a part of its descriptors), that is noted here as a shortage.
//
// Thread: safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace petrel::net {

// How many descriptors each use may have.
struct DescriptorShares {
  std::size_t store = 0;
  std::size_t accepted = 0;
  std::size_t outgoing = 0;  // Connections to receivers, in use and idle; so, attempts in flight.
};

// Of a process that may have `limit` descriptors and has so many event loops. However small the
// limit, there is something for each use: then the system's refusals are the bound.
DescriptorShares divide_descriptors(std::size_t limit, std::size_t loops);

class DescriptorBudget;

// The right to have one descriptor. Movable; given back when it goes.
class DescriptorPlace {
 public:
  DescriptorPlace() = default;  // None.
  DescriptorPlace(DescriptorPlace&& other) noexcept
      : budget_(std::move(other.budget_)), use_(other.use_) {}
  DescriptorPlace& operator=(DescriptorPlace&& other) noexcept;
  ~DescriptorPlace() { give_back(); }

  explicit operator bool() const { return budget_ != nullptr; }

 private:
  friend class DescriptorBudget;
  enum class Use : std::uint8_t { Accepted, Outgoing };

  DescriptorPlace(std::shared_ptr<DescriptorBudget> budget, Use use)
      : budget_(std::move(budget)), use_(use) {}
  void give_back();

  std::shared_ptr<DescriptorBudget> budget_;  // Outlived by no place of it, wherever that has gone.
  Use use_ = Use::Accepted;
};

class DescriptorBudget : public std::enable_shared_from_this<DescriptorBudget> {
 public:
  struct Counts {
    std::size_t accepted = 0;
    std::size_t outgoing = 0;
    std::uint64_t refused = 0;    // Connections to receivers that could not be made for want of it.
    std::uint64_t shortages = 0;  // How often the system had no descriptor for us.
    std::uint64_t evictions = 0;  // Idle connections that were closed to make room.
  };

  static std::shared_ptr<DescriptorBudget> make(const DescriptorShares& shares);

  explicit DescriptorBudget(const DescriptorShares& shares) : shares_(shares) {}
  DescriptorBudget(const DescriptorBudget&) = delete;
  DescriptorBudget& operator=(const DescriptorBudget&) = delete;

  // Empty if the share is used up.
  DescriptorPlace take_accepted() { return take(DescriptorPlace::Use::Accepted); }
  DescriptorPlace take_outgoing() { return take(DescriptorPlace::Use::Outgoing); }

  // Whether so many connections were accepted that the next ones are to be told to come back,
  // while there are places left to tell it.
  bool is_accepting_crowded() const;

  void note_refused() { refused_.fetch_add(1, std::memory_order_relaxed); }
  void note_shortage() { shortages_.fetch_add(1, std::memory_order_relaxed); }
  void note_eviction() { evictions_.fetch_add(1, std::memory_order_relaxed); }

  const DescriptorShares& shares() const { return shares_; }
  Counts counts() const;

 private:
  friend class DescriptorPlace;

  // On a cache line of its own, as every loop counts there.
  struct alignas(64) Used {
    std::atomic<std::size_t> count{0};
  };

  DescriptorPlace take(DescriptorPlace::Use use);
  std::size_t max_of(DescriptorPlace::Use use) const;
  Used& used_of(DescriptorPlace::Use use) { return used_[static_cast<std::size_t>(use)]; }
  std::size_t used(DescriptorPlace::Use use) const;

  const DescriptorShares shares_;
  std::array<Used, 2> used_;
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> shortages_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace petrel::net
