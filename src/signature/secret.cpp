#include "signature/secret.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sodium.h>

#include "base/base64.h"
#include "base/check.h"

namespace petrel::signature {
namespace {

constexpr std::string_view kSymmetricPrefix = "whsec_";
constexpr std::string_view kAsymmetricPrefix = "whsk_";

static_assert(Secret::kSeedBytes == crypto_sign_SEEDBYTES);
static_assert(Secret::kAsymmetricBytes == crypto_sign_SECRETKEYBYTES);
static_assert(Secret::kAsymmetricBytes <= Secret::kSymmetricBytesMax, "both kinds fit one buffer");

// Bytes of a key on their way in, wiped however the parsing ends.
struct Decoded {
  explicit Decoded(std::string_view encoded) : bytes(from_base64(encoded)) {}
  Decoded(const Decoded&) = delete;
  Decoded& operator=(const Decoded&) = delete;
  ~Decoded() {
    if (bytes) sodium_memzero(bytes->data(), bytes->size());
  }

  std::optional<std::vector<std::uint8_t>> bytes;
};

}  // namespace

Result<Secret> Secret::parse(std::string_view text) {
  if (text.starts_with(kSymmetricPrefix)) {
    return parse_symmetric(text.substr(kSymmetricPrefix.size()));
  }
  if (text.starts_with(kAsymmetricPrefix)) {
    return parse_asymmetric(text.substr(kAsymmetricPrefix.size()));
  }
  return invalid("", "a secret must start with whsec_ (symmetric) or whsk_ (ed25519)");
}

Result<Secret> Secret::parse_symmetric(std::string_view encoded) {
  const Decoded decoded(encoded);
  if (!decoded.bytes) return invalid("", "what follows whsec_ is not base64");
  const std::size_t size = decoded.bytes->size();
  if (size < kSymmetricBytesMin || size > kSymmetricBytesMax) {
    return invalid("", fmt::format("a whsec_ secret has {} to {} bytes, not {}", kSymmetricBytesMin,
                                   kSymmetricBytesMax, size));
  }
  return Secret(Kind::Symmetric, *decoded.bytes);
}

Result<Secret> Secret::parse_asymmetric(std::string_view encoded) {
  const Decoded decoded(encoded);
  if (!decoded.bytes) return invalid("", "what follows whsk_ is not base64");
  const std::size_t size = decoded.bytes->size();
  if (size != kAsymmetricBytes) {
    return invalid("", fmt::format("a whsk_ secret has {} bytes (seed and public key), not {}",
                                   kAsymmetricBytes, size));
  }
  const Secret given(Kind::Asymmetric, *decoded.bytes);
  Secret derived = from_seed(std::span(*decoded.bytes).first<kSeedBytes>());
  if (given != derived) {
    return invalid("", "the public half of this whsk_ secret does not belong to its seed");
  }
  return derived;
}

Secret Secret::generate(SecureRandom& random) {
  Secret secret(Kind::Symmetric, {});
  random.fill(std::span(secret.bytes_).first<kSymmetricBytesMin>());
  secret.size_ = kSymmetricBytesMin;
  return secret;
}

Secret Secret::generate_asymmetric(SecureRandom& random) {
  std::array<std::uint8_t, kSeedBytes> seed{};
  random.fill(seed);
  Secret secret = from_seed(seed);
  sodium_memzero(seed.data(), seed.size());
  return secret;
}

Secret Secret::from_seed(std::span<const std::uint8_t, kSeedBytes> seed) {
  Secret secret(Kind::Asymmetric, {});
  std::array<std::uint8_t, PublicKey::kBytes> public_half{};
  // Ours: any 32 bytes are a seed.
  CHECK(crypto_sign_seed_keypair(public_half.data(), secret.bytes_.data(), seed.data()) == 0);
  secret.size_ = kAsymmetricBytes;
  return secret;
}

Secret::Secret(Kind kind, std::span<const std::uint8_t> bytes)
    : kind_(kind), size_(static_cast<std::uint8_t>(bytes.size())) {
  CHECK(bytes.size() <= bytes_.size());  // Ours: parse() has looked at the size.
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

Secret::Secret(Secret&& other) noexcept : Secret(std::as_const(other)) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  *this = std::as_const(other);
  other.wipe();
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() {
  sodium_memzero(bytes_.data(), bytes_.size());
  size_ = 0;
}

std::string Secret::reveal() const {
  std::string encoded = to_base64(bytes());
  std::string text(kind_ == Kind::Symmetric ? kSymmetricPrefix : kAsymmetricPrefix);
  text.reserve(text.size() + encoded.size());
  text += encoded;
  sodium_memzero(encoded.data(), encoded.size());
  return text;
}

std::optional<PublicKey> Secret::public_key() const {
  if (kind_ == Kind::Symmetric) return std::nullopt;
  return PublicKey(bytes().last<PublicKey::kBytes>());
}

std::optional<std::string> Secret::public_text() const {
  const auto key = public_key();
  if (!key) return std::nullopt;
  return key->text();
}

std::span<const std::uint8_t> Secret::bytes() const {
  CHECK(size_ > 0);  // Ours: one that was moved from is not used.
  return std::span(bytes_).first(size_);
}

bool operator==(const Secret& a, const Secret& b) {
  if (a.kind_ != b.kind_ || a.size_ != b.size_) return false;
  // All of the buffer: what lies behind the key is zero in both.
  return sodium_memcmp(a.bytes_.data(), b.bytes_.data(), a.bytes_.size()) == 0;
}

}  // namespace petrel::signature
