// Disk is what the simulated store lies on: something that keeps what it has answered, whatever
// becomes of the process. The simulation does not know which kind it is.
//
//   disk.begin_crash();          the process is about to die
//   disk.store().settle(…);      what was under way is written, or not
//   disk.end_crash();            and the next process finds what is there
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/fault.h"
#include "sim/mutant.h"
#include "store/memory/memory_store.h"
#include "store/store.h"

namespace petrel::sim {

class Disk {
 public:
  virtual ~Disk() = default;

  // Answers before the verb returns. Unavailable only between begin_crash() and end_crash(): then
  // nobody knows whether it was written until the crash is over.
  virtual store::Store& store() = 0;
  virtual store::Browse& browse() = 0;

  // A process has ended in good order, and another opens what it left.
  virtual void reopen() {}

  virtual void begin_crash() {}
  virtual void end_crash() {}

  // What went wrong in the opening, for the operator to read.
  virtual std::vector<std::string> complaints() const { return {}; }
};

class MemoryDisk final : public Disk {
 public:
  explicit MemoryDisk(const Clock& clock) : store_(clock) {}

  store::Store& store() override { return store_; }
  store::Browse& browse() override { return store_; }

 private:
  store::MemoryStore store_;
};

struct DiskParts {
  const Clock& clock;
  FaultCounts& faults;
  Mutant mutant = Mutant::None;
  std::uint64_t seed = 0;
};
using MakeDisk = std::function<std::unique_ptr<Disk>(const DiskParts&)>;

}  // namespace petrel::sim
