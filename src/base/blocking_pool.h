// BlockingPool is where work is done that waits for a disk, so that no loop has to.
//
// Thread: safe.

#pragma once

#include "base/function.h"

namespace petrel {

class BlockingPool {
 public:
  virtual ~BlockingPool() = default;

  // Does it later, on a thread that may wait. False if too much waits already: then it is not done,
  // and the one that asked for it is to be told.
  [[nodiscard]] virtual bool run(Function<void()> work) = 0;
};

}  // namespace petrel
