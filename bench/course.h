// Course is how the attempts of one delivery go: so many failures of one kind, then successes.
//
//   90 in 100   delivered at once
//    7 in 100   delivered after one to three failures
//    2 in 100   never delivered: all attempts are used up
//    1 in 100   refused for good, every tenth of them with a 410
//
// Thread: any. A value.

#pragma once

#include "base/random.h"
#include "policy/outcome.h"

namespace petrel::bench {

struct Course {
  int failures = 0;
  policy::Outcome failure = policy::Outcome::answered(503);

  policy::Outcome outcome_of_attempt(int number) const;
};

Course draw_course(Random& random);

}  // namespace petrel::bench
