// HoldModel is until when a receiver's Retry-After (of a 429 or 503) keeps its whole endpoint
// still: for sure, and at most.
//
// The latest end wins. A hold outlives a death once the attempt that brought it is on disk; then it
// goes by the wall clock, which may have been set. People end it with circuit/probe and
// circuit/close: while they wait for the answer it may hold or not.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/judge/two_clocks.h"

namespace petrel::sim::judge {

class HoldModel {
 public:
  // The node was told of a wish at `at`, of which the policies that may hold grant so much.
  void wished(std::uint64_t request, const Moment& at, Duration shortest, Duration longest);

  // The attempt is on disk, whose end the node was told of by then. A restart finds the lane as it
  // was then, if nothing is written after it.
  void recorded(std::uint64_t request, MonoTime as_of);

  void died();
  void started(const TwoClocks& clocks);

  void lift_asked();
  void lift_told();

  // No request begins in between, but for a moment after the first.
  bool is_held_at(MonoTime now, Duration lateness) const;
  MonoTime surely_until() const;
  MonoTime perhaps_until() const;

 private:
  struct Wish {
    std::uint64_t request;
    Moment at;
    MonoTime surely_until;
    MonoTime perhaps_until;
    bool is_on_disk = false;
    bool may_be_lifted = false;
  };

  std::vector<Wish> wishes_;
  MonoTime kept_at_ = MonoTime::min();  // As it is on disk.
};

}  // namespace petrel::sim::judge
