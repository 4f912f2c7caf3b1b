#include "signature/signer.h"

#include <array>
#include <cstdint>

#include <sodium.h>

#include "base/base64.h"
#include "base/check.h"
#include "signature/signed_content.h"

namespace petrel::signature {
namespace {

constexpr std::size_t kSignatureTextMax = 4 + 88 + 1;  // "v1a,", 64 bytes as base64, a space.

std::array<std::uint8_t, PublicKey::kSignatureBytes> sign_ed25519(const Secret& secret,
                                                                  std::string_view message) {
  std::array<std::uint8_t, PublicKey::kSignatureBytes> signature{};
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  // Ours: any message can be signed with a key of the right size.
  CHECK(crypto_sign_detached(signature.data(), nullptr, bytes, message.size(),
                             secret.bytes().data()) == 0);
  return signature;
}

}  // namespace

Signer::Signer(std::span<const Secret> secrets) {
  CHECK(!secrets.empty());  // Ours: a key ring has a current secret.
  keys_.reserve(secrets.size());
  for (const Secret& secret : secrets) {
    if (secret.kind() == Secret::Kind::Symmetric) {
      keys_.emplace_back(HmacKey(secret.bytes()));
    } else {
      keys_.emplace_back(secret);
    }
  }
}

std::string Signer::sign(std::string_view id, WallTime at, std::string_view body) {
  CHECK(is_signable_id(id));  // Ours: the ids of messages are made by us.
  const std::string timestamp = timestamp_text(at);
  const SignedContent content{id, timestamp, body};

  std::string joined;  // Made for the first asymmetric secret, if there is one.
  std::string header;
  header.reserve(keys_.size() * kSignatureTextMax);
  for (auto& key : keys_) {
    if (!header.empty()) header += ' ';
    if (auto* hmac = std::get_if<HmacKey>(&key)) {
      header += "v1,";
      header += to_base64(hmac->tag(content.parts()));
    } else {
      if (joined.empty()) joined = content.joined();
      header += "v1a,";
      header += to_base64(sign_ed25519(*std::get_if<Secret>(&key), joined));
    }
  }
  return header;
}

std::string timestamp_text(WallTime at) { return std::to_string(unix_seconds(at)); }

}  // namespace petrel::signature
