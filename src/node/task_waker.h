// TaskWaker is what others see of the tasks that go on in the background.
//
// Thread: safe.

#pragma once

#include <cstddef>

#include "base/id.h"

namespace petrel::node {

class TaskWaker {
 public:
  virtual ~TaskWaker() = default;

  // The task is new in the store, or was changed there.
  virtual void wake(OrganisationId organisation, TaskId task) = 0;

  // How many are under way.
  virtual std::size_t under_way() const = 0;
};

}  // namespace petrel::node
