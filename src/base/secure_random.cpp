#include "base/secure_random.h"

#include <sodium.h>

#include "base/check.h"

namespace petrel {

// Before its first use by several threads the library wants to be initialised; twice is harmless.
SystemSecureRandom::SystemSecureRandom() { CHECK(sodium_init() >= 0); }

void SystemSecureRandom::fill(std::span<std::uint8_t> bytes) {
  if (bytes.empty()) return;  // Its pointer may be null, which the library forbids.
  randombytes_buf(bytes.data(), bytes.size());
}

void SeededSecureRandom::fill(std::span<std::uint8_t> bytes) {
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.next() >> 56U);
}

}  // namespace petrel
