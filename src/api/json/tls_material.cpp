#include "api/json/tls_material.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/check.h"
#include "base/try.h"

namespace petrel::api {
namespace {

struct Release {
  void operator()(BIO* source) const { BIO_free(source); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(PKCS8_PRIV_KEY_INFO* key) const { PKCS8_PRIV_KEY_INFO_free(key); }
};
using Source = std::unique_ptr<BIO, Release>;
using Certificate = std::unique_ptr<X509, Release>;
using Key = std::unique_ptr<EVP_PKEY, Release>;

Source source_of(const std::string& pem) {
  Source source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CHECK(source != nullptr);  // Ours: only memory can be missing.
  return source;
}

// Never asks a person, as the library would.
int no_passphrase(char* /*place*/, int /*size*/, int /*is_writing*/, void* /*context*/) {
  return -1;
}

Certificate next_certificate(BIO* source) {
  return Certificate(PEM_read_bio_X509(source, nullptr, no_passphrase, nullptr));
}

// One block of PEM: what it says it is, and its bytes.
struct Block {
  std::string name;
  std::string header;  // Says that it is encrypted, and how.
  std::string bytes;
};

std::optional<Block> next_block(BIO* source) {
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* bytes = nullptr;
  long size = 0;
  if (PEM_read_bio(source, &name, &header, &bytes, &size) != 1) return std::nullopt;
  Block block{name, header, {reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size)}};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_clear_free(bytes, static_cast<std::size_t>(size));
  return block;
}

// The kinds of key that TLS uses today. Reading one of another kind (DSA, DH) makes the library
// compute its public half first, which takes minutes for numbers that are made for it.
bool is_usual(int algorithm) {
  constexpr std::array kUsual = {NID_rsaEncryption, NID_rsassaPss, NID_X9_62_id_ecPublicKey,
                                 NID_ED25519, NID_ED448};
  return std::find(kUsual.begin(), kUsual.end(), algorithm) != kUsual.end();
}

Key wrapped_key(const Block& block) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(block.bytes.data());
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, Release> wrapped(
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &bytes, static_cast<long>(block.bytes.size())));
  const ASN1_OBJECT* algorithm = nullptr;
  if (wrapped == nullptr ||
      PKCS8_pkey_get0(&algorithm, nullptr, nullptr, nullptr, wrapped.get()) != 1 ||
      !is_usual(OBJ_obj2nid(algorithm))) {
    return nullptr;
  }
  return Key(EVP_PKCS82PKEY(wrapped.get()));
}

Key plain_key(const Block& block, int type) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(block.bytes.data());
  return Key(d2i_PrivateKey(type, nullptr, &bytes, static_cast<long>(block.bytes.size())));
}

Key key_in(const Block& block) {
  if (!block.header.empty()) return nullptr;
  if (block.name == "PRIVATE KEY") return wrapped_key(block);
  if (block.name == "RSA PRIVATE KEY") return plain_key(block, EVP_PKEY_RSA);
  if (block.name == "EC PRIVATE KEY") return plain_key(block, EVP_PKEY_EC);
  return nullptr;
}

// Null if it is none, or none that we take.
Key key_of(const std::string& pem) {
  const Source source = source_of(pem);
  Key key;
  // The parameters of a curve may stand before its key.
  while (std::optional<Block> block = next_block(source.get())) {
    if (block->name != "EC PARAMETERS") {
      key = key_in(*block);
      OPENSSL_cleanse(block->bytes.data(), block->bytes.size());
      break;
    }
  }
  ERR_clear_error();
  return key != nullptr && EVP_PKEY_get_bits(key.get()) <= kKeyBitsMax ? std::move(key) : nullptr;
}

Status check_size(const std::string& pem, std::size_t bytes_max) {
  if (pem.size() <= bytes_max) return Done{};
  return invalid("", fmt::format("must not be longer than {} KiB", bytes_max / 1024));
}

}  // namespace

Status check_certificates(const std::string& pem) {
  TRY(check_size(pem, kPemBytesMax));
  // The library would pass over it, and we would show it with the certificates.
  if (pem.find("PRIVATE KEY-----") != std::string::npos) {
    return invalid("", "must not hold a private key");
  }
  const Source source = source_of(pem);
  std::size_t count = 0;
  while (next_certificate(source.get()) != nullptr) ++count;
  // The end of the text is an error as well, of its own.
  const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count > 0 && is_end) return Done{};
  return invalid("", "must be certificates in PEM");
}

Status check_private_key(const std::string& pem) {
  TRY(check_size(pem, kKeyPemBytesMax));
  if (key_of(pem) != nullptr) return Done{};
  return invalid(
      "", fmt::format("must be a private key in PEM, without a passphrase: RSA of at most {} "
                      "bits, of a curve, or Ed25519",
                      kKeyBitsMax));
}

bool is_key_of(const std::string& key_pem, const std::string& certificates_pem) {
  const Source source = source_of(certificates_pem);
  const Certificate certificate = next_certificate(source.get());
  const Key key = key_of(key_pem);
  const bool fits = certificate != nullptr && key != nullptr &&
                    X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace petrel::api
