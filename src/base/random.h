// Random is the seeded generator behind every draw that is not a secret: jitter, sampling, the
// simulated world. The same seed gives the same numbers on every compiler and machine, which the
// standard library's distributions do not promise.
//
// The generator is xoshiro256** (Blackman and Vigna), seeded through SplitMix64. It must never
// make a key, a token or an id: those come from SecureRandom.
//
// Thread: confined. A value; copying it repeats its future.

#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace petrel {

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();

  // Uniform over 0 … bound-1, without bias.
  //
  // REQUIRES: bound >= 1.
  std::uint64_t below(std::uint64_t bound);

  // Uniform over first … last, both included.
  //
  // REQUIRES: first <= last.
  Duration between(Duration first, Duration last);

  // Uniform over [0, 1).
  double unit();

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace petrel
