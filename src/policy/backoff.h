// Backoff computes how long to wait after a failure: a strategy gives the nominal delay, a jitter
// spreads it, so that deliveries which failed together do not come back together.
//
//   strategy     the delay after failure n (the first is 1)
//   fixed        base
//   linear       base · n
//   exponential  base · multiplier^(n-1)
//   schedule     the n-th entry; the last one repeats
//
//   jitter        from a nominal delay d
//   none          d
//   full          U(0, d)
//   equal         d/2 + U(0, d/2)
//   percent       d · U(1-p, 1+p)
//   decorrelated  min(cap, U(base, 3 · previous delay)); the strategy's growth plays no part
//
// The cap applies to the nominal delay, before the jitter. A delay of zero stays zero.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/time.h"

namespace petrel::policy {

enum class Strategy : std::uint8_t { Fixed, Linear, Exponential, Schedule };
enum class Jitter : std::uint8_t { None, Full, Equal, Decorrelated, Percent };

struct Backoff {
  Strategy strategy = Strategy::Exponential;
  Duration delay_base = std::chrono::seconds(30);
  double multiplier = 2;
  std::vector<Duration> schedule;
  Duration delay_max = std::chrono::hours(24);
  Jitter jitter = Jitter::Equal;
  int jitter_percent = 0;

  // The delay after failure number `failure`, capped, before any jitter. `stretch` multiplies it
  // before the cap.
  //
  // REQUIRES: failure >= 1; a schedule that is not empty if the strategy is Schedule.
  Duration nominal(int failure, int stretch = 1) const;

  // The delay to wait. `previous` is the delay drawn after the failure before this one, zero if
  // there was none; only decorrelated looks at it.
  Duration draw(int failure, int stretch, Duration previous, Random& random) const;

  friend bool operator==(const Backoff&, const Backoff&) = default;
};

}  // namespace petrel::policy
