// Secret is a key that messages are signed with, in one of the two forms of Standard Webhooks.
//
//   whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw   symmetric: 24 to 75 bytes, for HMAC-SHA256
//   whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc7…   asymmetric: an ed25519 seed, then its public key
//
// A secret never shows itself by accident: it cannot be streamed, and an error about it holds no
// part of it. Only reveal() and bytes() give it away. Its bytes are wiped when it is destroyed
// and when it is moved from; a moved-from secret may only be compared, assigned to or destroyed.
//
// Thread: any. All methods but assignment are const.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secure_random.h"
#include "signature/public_key.h"

namespace petrel::signature {

class Secret {
 public:
  enum class Kind : std::uint8_t { Symmetric, Asymmetric };

  static constexpr std::size_t kSymmetricBytesMin = 24;
  static constexpr std::size_t kSymmetricBytesMax = 75;
  static constexpr std::size_t kSeedBytes = 32;
  static constexpr std::size_t kAsymmetricBytes = kSeedBytes + PublicKey::kBytes;

  // Base64 padding may be left out. Fails with Invalid if the prefix, the base64 or the length is
  // wrong, or if the public half of a `whsk_` does not belong to its seed. The error names no
  // field: the caller knows where the text came from.
  static Result<Secret> parse(std::string_view text);

  static Secret generate(SecureRandom& random);  // Symmetric, of kSymmetricBytesMin bytes.
  static Secret generate_asymmetric(SecureRandom& random);

  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  Kind kind() const { return kind_; }

  // The text form, with padding, for its owner's eyes: parse(reveal()) is the same secret.
  //
  // REQUIRES: not moved from. The caller answers for where the text goes.
  std::string reveal() const;

  // What a receiver needs to verify an asymmetric secret's signatures, and its `whpk_…` form.
  // Empty if the secret is symmetric: its receiver needs the secret itself.
  std::optional<PublicKey> public_key() const;
  std::optional<std::string> public_text() const;

  // The key as the algorithms want it; an asymmetric one is seed and public key, joined.
  //
  // REQUIRES: not moved from. The bytes live as long as the secret.
  std::span<const std::uint8_t> bytes() const;

  // Takes the same time wherever two secrets of one kind and length differ.
  friend bool operator==(const Secret& a, const Secret& b);

 private:
  Secret(Kind kind, std::span<const std::uint8_t> bytes);

  static Result<Secret> parse_symmetric(std::string_view encoded);
  static Result<Secret> parse_asymmetric(std::string_view encoded);
  static Secret from_seed(std::span<const std::uint8_t, kSeedBytes> seed);

  void wipe();

  Kind kind_;
  std::uint8_t size_;  // 0 once moved from.
  std::array<std::uint8_t, kSymmetricBytesMax> bytes_{};
};

}  // namespace petrel::signature
