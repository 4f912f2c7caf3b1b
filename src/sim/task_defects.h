// TaskDefects are the mutants that concern tasks, as the simulated store plays them: in what it
// shows of tasks and of lists, and in what it writes of them.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/task.h"
#include "sim/dice.h"
#include "sim/mutant.h"
#include "store/browse.h"
#include "store/change.h"

namespace petrel::sim {

class TaskDefects {
 public:
  TaskDefects(Mutant mutant, std::uint64_t seed) : mutant_(mutant), dice_(seed) {}

  // The task as it is shown instead.
  model::Task shown(model::Task task) const;

  bool forgets_tasks() const { return mutant_ == Mutant::ForgetsTasks; }

  template <typename T>
  Result<store::Listed<T>> listed(Result<store::Listed<T>> list) {
    if (mutant_ != Mutant::LosesRows || !list.ok()) return list;
    if (list->items.size() < 2 || !dice_.chance(0.1)) return list;
    const std::size_t lost = dice_.index(list->items.size());
    list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(lost));
    return list;
  }

  // What a task wants to be written, in the commits in which it is: one, or with a defect two.
  std::vector<store::ChangeSet> taken_apart(store::ChangeSet set) const;

  // The set as it is written at last, on what is there by then.
  store::ChangeSet written(store::ChangeSet set, store::Browse& platters) const;

 private:
  void put_back_anyway(store::ChangeSet& set, const model::Task& task,
                       store::Browse& platters) const;

  Mutant mutant_;
  Dice dice_;
};

// The step of a task that a set is: null if it is none, or a person's.
const model::Task* task_of(const store::ChangeSet& set);

}  // namespace petrel::sim
