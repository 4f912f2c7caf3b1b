// BucketModel is a rate limit seen from outside: whether what was sent can have come out of a
// bucket of max(1, 10 ms' worth) tokens that was full at the start.
//
// When a request took its token is not always seen: it may have had to wait for its payload. So
// each comes with the earliest and the latest moment at which it can have taken it, and the model
// objects only if no choice among them fits: in no stretch of time are there more requests, with
// all of their moments inside, than the bucket can have given out.
//
// While the rate changes, the largest that may have held in a stretch counts for all of it.
//
// Thread: confined.

#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/time.h"

namespace petrel::sim::judge {

class BucketModel {
 public:
  // The largest rate that may hold from `now` on, per second. Empty: there may be none.
  void set_rate(std::optional<double> per_second, MonoTime now);

  bool is_set() const { return rate_.has_value(); }

  // A new life begins with a full bucket.
  void restart(MonoTime now);

  // Whether one more fits whose token was taken between the two. REQUIRES: `latest` does not go
  // back.
  bool fits(MonoTime earliest, MonoTime latest) const;
  void take(MonoTime earliest, MonoTime latest);

  // From when on there is a token for sure, if nothing more is taken.
  MonoTime surely_full_at() const;

 private:
  struct Token {
    MonoTime earliest;
    MonoTime latest;
  };
  struct Rate {
    MonoTime from;
    double per_second;
  };

  // The largest in the stretch; empty if there may have been none.
  double largest_since(MonoTime since) const;

  std::optional<double> rate_;
  std::vector<Rate> rates_;   // Since there was one all the time.
  std::deque<Token> tokens_;  // By their latest moment, since then.
};

}  // namespace petrel::sim::judge
