// MemoryShare is one loop's part of a MemoryBudget for one use. It counts in plain numbers, and
// draws and returns whole MiB, so that what happens many times in a millisecond touches nothing
// that other threads touch.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/memory_budget.h"

namespace petrel {

class MemoryShare {
 public:
  static constexpr std::size_t kStep = std::size_t{1} << 20U;

  MemoryShare(std::shared_ptr<MemoryBudget> budget, MemoryUse use)
      : budget_(std::move(budget)), use_(use) {}
  ~MemoryShare();
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // False if there is no room, for the account or for anybody; `account` may be null.
  [[nodiscard]] bool take(std::size_t bytes, MemoryAccount* account);

  // Also if there is no room: for what is there already and is small.
  void take_anyway(std::size_t bytes);

  void give_back(std::size_t bytes, MemoryAccount* account);

  std::size_t used() const { return used_; }
  MemoryBudget& budget() { return *budget_; }
  MemoryUse use() const { return use_; }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  const MemoryUse use_;
  std::size_t used_ = 0;
  std::size_t drawn_ = 0;
};

}  // namespace petrel
