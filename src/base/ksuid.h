// Ksuid is the 20-byte identifier behind every id of ours: unique without coordination, and
// ordered by the time of its making.
//
//   4 bytes   seconds since 1,400,000,000 (May 2014)
//   1 byte    the fraction of that second, in steps of 4 ms
//   15 bytes  random
//
// As text it is 27 characters of base 62 (0-9, A-Z, a-z). Bytes and text sort alike, so "everything
// since noon" is a range of keys.
//
// Thread: any. A value.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/secure_random.h"
#include "base/time.h"

namespace petrel {

class Ksuid {
 public:
  static constexpr std::size_t kBytes = 20;
  static constexpr std::size_t kTextLength = 27;
  using Bytes = std::array<std::uint8_t, kBytes>;

  Ksuid() : bytes_{} {}
  explicit Ksuid(const Bytes& bytes) : bytes_(bytes) {}

  static Ksuid make(WallTime time, SecureRandom& random);

  // The smallest one of its 4 ms step: where a range that begins at `time` begins.
  static Ksuid first_at(WallTime time);

  // Empty unless it is 27 characters of base 62 that fit into 20 bytes.
  static std::optional<Ksuid> parse(std::string_view text);

  std::string text() const;
  const Bytes& bytes() const { return bytes_; }

  // When it was made, to the 4 ms step.
  WallTime time() const;

  friend auto operator<=>(const Ksuid&, const Ksuid&) = default;

 private:
  Bytes bytes_;
};

// KsuidMaker gives ids that only ever grow, also within one 4 ms step and when the clock steps
// back: then it goes on from the last one by a random stride.
//
// Thread: confined.
class KsuidMaker {
 public:
  explicit KsuidMaker(SecureRandom& random) : random_(random) {}

  Ksuid make(WallTime now);

 private:
  SecureRandom& random_;
  Ksuid last_;
};

}  // namespace petrel
