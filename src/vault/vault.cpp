#include "vault/vault.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <sodium.h>

#include "base/check.h"
#include "base/secure_random.h"

namespace petrel::vault {
namespace {

constexpr char kForm = 1;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

// What the two hashes are for, so that neither says anything about the other.
constexpr std::string_view kForKey = "petrel vault key";
constexpr std::string_view kForId = "petrel vault key id";

static_assert(std::min(kForKey.size(), kForId.size()) >= crypto_generichash_KEYBYTES_MIN);

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

std::uint8_t* bytes_of(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

void hash(std::span<std::uint8_t> out, std::span<const std::uint8_t> in, std::string_view purpose) {
  // Ours: the sizes are constants within the function's bounds.
  CHECK(crypto_generichash(out.data(), out.size(), in.data(), in.size(), bytes_of(purpose),
                           purpose.size()) == 0);
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return text;
}

Error changed() { return corrupt("what was sealed does not open: it was changed or moved"); }

}  // namespace

Vault::Vault(const std::vector<std::string>& secrets) {
  static_assert(kKeyBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
  CHECK(sodium_init() >= 0);      // Ours: without it nothing is sealed.
  CHECK(!secrets.empty());        // Ours: REQUIRES.
  keys_.reserve(secrets.size());  // So that no copy of a key is left behind.
  for (const std::string& secret : secrets) keys_.push_back(derive(secret));
}

Vault::~Vault() { sodium_memzero(keys_.data(), keys_.size() * sizeof(Key)); }

Vault::Key Vault::derive(std::string_view secret) {
  CHECK(!secret.empty());  // Ours: settings and files with an empty one are refused before.
  Key key;
  hash(key.bytes, {bytes_of(secret), secret.size()}, kForKey);
  std::array<std::uint8_t, crypto_generichash_BYTES> whole{};
  hash(whole, key.bytes, kForId);
  std::copy_n(whole.begin(), key.id.size(), key.id.begin());
  return key;
}

std::string Vault::seal(std::string_view plain, std::string_view context) const {
  const Key& key = keys_.front();
  std::array<std::uint8_t, kNonceBytes> nonce{};
  // Never a seeded one: a nonce that comes twice gives the text away.
  SystemSecureRandom().fill(nonce);

  std::string sealed(1, kForm);
  sealed.append(reinterpret_cast<const char*>(key.id.data()), key.id.size());
  sealed.append(reinterpret_cast<const char*>(nonce.data()), nonce.size());
  const std::size_t head = sealed.size();
  sealed.resize(head + plain.size() + kTagBytes);
  // Ours: it fails only for texts beyond 256 GiB.
  CHECK(crypto_aead_xchacha20poly1305_ietf_encrypt(
            bytes_of(sealed) + head, nullptr, bytes_of(plain), plain.size(), bytes_of(context),
            context.size(), nullptr, nonce.data(), key.bytes.data()) == 0);
  return sealed;
}

Result<std::string> Vault::open(std::string_view sealed, std::string_view context) const {
  constexpr std::size_t kHead = 1 + kIdBytes + kNonceBytes;
  if (sealed.size() < kHead + kTagBytes || sealed.front() != kForm) return changed();
  const std::string_view id = sealed.substr(1, kIdBytes);
  const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const Key& one) {
    return std::equal(one.id.begin(), one.id.end(), bytes_of(id));
  });
  if (key == keys_.end()) {
    return conflict("sealed with key " + hexadecimal(id) + ", which this server does not have");
  }
  const std::string_view nonce = sealed.substr(1 + kIdBytes, kNonceBytes);
  const std::string_view text = sealed.substr(kHead);
  std::string plain(text.size() - kTagBytes, '\0');
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      bytes_of(plain), nullptr, nullptr, bytes_of(text), text.size(), bytes_of(context),
      context.size(), bytes_of(nonce), key->bytes.data());
  if (failed != 0) return changed();
  return plain;
}

bool Vault::is_current(std::string_view sealed) const {
  const KeyId& id = keys_.front().id;
  return sealed.size() > kIdBytes && std::equal(id.begin(), id.end(), bytes_of(sealed) + 1);
}

void wipe(std::string& text) { sodium_memzero(text.data(), text.size()); }

std::string Vault::current_id() const {
  const KeyId& id = keys_.front().id;
  return hexadecimal({reinterpret_cast<const char*>(id.data()), id.size()});
}

}  // namespace petrel::vault
