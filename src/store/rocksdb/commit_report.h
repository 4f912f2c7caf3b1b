// CommitReport is one commit as those see it who look on: how long it took, and how much shared its
// sync.
//
// Thread: any. A value.

#pragma once

#include <cstddef>

#include "base/time.h"

namespace petrel::store {

struct CommitReport {
  Duration duration{};  // From taking on what had gathered until it was on disk.
  std::size_t messages = 0;
  std::size_t settlements = 0;
  std::size_t changes = 0;
};

}  // namespace petrel::store
