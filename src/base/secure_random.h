// SecureRandom is the door to unpredictable bytes: secrets, tokens, ids. Tests stand a seeded one
// in its place, so that a simulated run gives the same ids again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace petrel {

class SecureRandom {
 public:
  virtual ~SecureRandom() = default;

  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

// The operating system's generator.
//
// Thread: safe.
class SystemSecureRandom final : public SecureRandom {
 public:
  SystemSecureRandom();

  void fill(std::span<std::uint8_t> bytes) override;
};

// Predictable bytes from a seed, for tests and simulation only.
//
// Thread: confined.
class SeededSecureRandom final : public SecureRandom {
 public:
  explicit SeededSecureRandom(std::uint64_t seed) : random_(seed) {}

  void fill(std::span<std::uint8_t> bytes) override;

 private:
  Random random_;
};

}  // namespace petrel
