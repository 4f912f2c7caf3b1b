#include "signature/public_key.h"

#include <algorithm>

#include <fmt/format.h>
#include <sodium.h>

#include "base/base64.h"

namespace petrel::signature {
namespace {

constexpr std::string_view kPrefix = "whpk_";

static_assert(PublicKey::kBytes == crypto_sign_PUBLICKEYBYTES);
static_assert(PublicKey::kSignatureBytes == crypto_sign_BYTES);

}  // namespace

Result<PublicKey> PublicKey::parse(std::string_view text) {
  if (!text.starts_with(kPrefix)) return invalid("", "a public key must start with whpk_");
  const auto bytes = from_base64(text.substr(kPrefix.size()));
  if (!bytes) return invalid("", "what follows whpk_ is not base64");
  if (bytes->size() != kBytes) {
    return invalid("", fmt::format("a public key has {} bytes, not {}", kBytes, bytes->size()));
  }
  if (crypto_core_ed25519_is_valid_point(bytes->data()) != 1) {
    return invalid("", "these bytes are not an ed25519 public key");
  }
  return PublicKey(std::span<const std::uint8_t, kBytes>(bytes->data(), kBytes));
}

PublicKey::PublicKey(std::span<const std::uint8_t, kBytes> bytes) : bytes_{} {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

std::string PublicKey::text() const { return std::string(kPrefix) + to_base64(bytes_); }

bool PublicKey::accepts(std::span<const std::uint8_t> signature, std::string_view message) const {
  if (signature.size() != kSignatureBytes) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  return crypto_sign_verify_detached(signature.data(), bytes, message.size(), bytes_.data()) == 0;
}

}  // namespace petrel::signature
