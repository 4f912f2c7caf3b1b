// Dice are the draws that scenarios are made of, on top of Random.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/random.h"
#include "base/time.h"

namespace petrel::sim {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool chance(double share) { return random_.unit() < share; }

  // Both ends included.
  int between(int first, int last) {
    return first + static_cast<int>(random_.below(static_cast<std::uint64_t>(last - first + 1)));
  }
  Duration between(Duration first, Duration last) { return random_.between(first, last); }

  // Spread evenly over orders of magnitude: as many between 1 s and 10 s as between 10 s and 100 s.
  Duration spread(Duration first, Duration last);

  std::size_t index(std::size_t size) { return static_cast<std::size_t>(random_.below(size)); }

  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[index(values.size())];
  }

  std::uint64_t seed() { return random_.next(); }

 private:
  Random random_;
};

}  // namespace petrel::sim
