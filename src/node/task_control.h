// TaskControl is how the API reaches what carries out tasks.
//
// Thread: safe.

#pragma once

#include <cstddef>
#include <functional>

#include "base/id.h"

namespace petrel::node {

struct TaskControl {
  // The task is new in the store, or was changed there.
  std::function<void(OrganisationId, TaskId)> wake = {};

  // How many are under way.
  std::function<std::size_t()> under_way = {};
};

}  // namespace petrel::node
