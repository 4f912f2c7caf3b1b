// MemoryShare is one loop's part of a MemoryBudget for one use. It counts in plain numbers, and
// draws and returns whole steps, so that what happens many times in a millisecond touches nothing
// that other threads touch. A step is a small part of the budget: every loop of a machine with many
// cores keeps one or two of them for each use, also while nothing happens.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/memory_budget.h"

namespace petrel {

class MemoryShare {
 public:
  static constexpr std::size_t kStepMin = std::size_t{16} << 10U;
  static constexpr std::size_t kStepMax = std::size_t{1} << 20U;
  static constexpr std::size_t kStepsMin = 4096;  // In a budget.

  MemoryShare(std::shared_ptr<MemoryBudget> budget, MemoryUse use)
      : budget_(std::move(budget)),
        use_(use),
        step_(std::clamp(budget_->max() / kStepsMin, kStepMin, kStepMax)) {}
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
  std::size_t whole_steps(std::size_t bytes) const { return (bytes + step_ - 1) / step_ * step_; }

  const std::shared_ptr<MemoryBudget> budget_;
  const MemoryUse use_;
  const std::size_t step_;
  std::size_t used_ = 0;
  std::size_t drawn_ = 0;
};

}  // namespace petrel
