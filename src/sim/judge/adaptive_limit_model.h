// AdaptiveLimitModel is how many requests an endpoint may have in flight by what it answered: it
// starts at min(10, maxInFlight), one more per full round of good answers, halved at most once per
// round trip.
//
//   10 ── 503 ──▶ 5 ── 5 good ──▶ 6
//
// It keeps every value that the limit may have. They are several where the contract leaves it open:
// whether a request that was waiting for its payload began before a halving; what a restart, a new
// maximum or a rest of an hour leaves of the limit.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/time.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {

class AdaptiveLimitModel {
 public:
  // The smallest and the largest maximum that may hold.
  struct Max {
    int smallest;
    int largest;

    friend bool operator==(const Max&, const Max&) = default;
  };

  explicit AdaptiveLimitModel(Max max);

  void set_max(Max max, MonoTime now);

  // A request has ended that was let go between the two moments.
  struct Ended {
    MonoTime earliest;
    MonoTime latest;
    MonoTime now;
  };
  void ended(const Ended& ended, Load load);

  // A settlement is on disk: a restart may find the limit as it is now, or as it was since.
  void kept();

  // It may start afresh, or where it was when something was last kept.
  void restarted();

  // Nothing was sent for so long that the lane may have left.
  void rested();

  // Its lane may go on at another place, for another URL: what it learnt may be of no use there.
  void may_have_moved() { start_afresh(); }

  int largest() const;
  int smallest() const;

  // The largest at some moment since then: what was let go before a halving may be seen after it.
  int largest_since(MonoTime since) const;

 private:
  struct State {
    int limit;
    int good = 0;
    std::optional<MonoTime> halved = std::nullopt;

    friend bool operator==(const State&, const State&) = default;
  };

  void add(State state);
  void note(MonoTime now);
  void count(State state, Load load, MonoTime now);
  void start_afresh();

  Max max_;
  std::vector<State> states_;
  std::vector<int> kept_;  // The limits that a restart may find.

  struct Note {
    MonoTime until;  // It was so up to here.
    int largest;
  };
  std::deque<Note> history_;
};

}  // namespace petrel::sim::judge
