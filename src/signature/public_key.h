// PublicKey is the half of an ed25519 key pair that a receiver holds: it tells whether a signature
// was made by the other half, and cannot make one.
//
//   whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=
//
// It is no secret: it may be shown, logged and compared like any other text.
//
// Thread: any. All methods are const.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel::signature {

class PublicKey {
 public:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kSignatureBytes = 64;

  // Fails with Invalid, no field named, if the text is not `whpk_` and the base64 of 32 bytes, or
  // if the bytes are a point that no key pair has: some of those accept forged signatures.
  static Result<PublicKey> parse(std::string_view text);

  // The `whpk_…` form.
  std::string text() const;

  // Whether `signature` was made over exactly `message`. A signature of any other length than
  // kSignatureBytes was not.
  bool accepts(std::span<const std::uint8_t> signature, std::string_view message) const;

  friend bool operator==(const PublicKey&, const PublicKey&) = default;

 private:
  friend class Secret;

  explicit PublicKey(std::span<const std::uint8_t, kBytes> bytes);

  std::array<std::uint8_t, kBytes> bytes_;
};

}  // namespace petrel::signature
