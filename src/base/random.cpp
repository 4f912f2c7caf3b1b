#include "base/random.h"

#include <bit>

#include "base/check.h"

namespace petrel {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5U, 7) * 9U;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound >= 1);
  // Numbers under this threshold would make the low remainders likelier than the high ones.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t number = next();
    if (number >= threshold) return number % bound;
  }
}

Duration Random::between(Duration first, Duration last) {
  CHECK(first <= last);
  const auto width = static_cast<std::uint64_t>((last - first).count());
  return first + Duration(static_cast<Duration::rep>(below(width + 1)));
}

double Random::unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

}  // namespace petrel
