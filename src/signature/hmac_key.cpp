#include "signature/hmac_key.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/check.h"

namespace petrel::signature {

void HmacKey::Release::operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }

HmacKey::HmacKey(std::span<const std::uint8_t> key) {
  CHECK(!key.empty());  // Ours: secrets have a least length, which is checked when they are read.
  EVP_MAC* hmac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
  CHECK(hmac != nullptr);  // Ours: every build of the library has HMAC.
  context_.reset(EVP_MAC_CTX_new(hmac));
  EVP_MAC_free(hmac);          // The context holds its own reference.
  CHECK(context_ != nullptr);  // Ours: only memory can be missing.

  char digest[] = OSSL_DIGEST_NAME_SHA2_256;
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end(),
  };
  // Ours: HMAC takes a key of any length.
  CHECK(EVP_MAC_init(context_.get(), key.data(), key.size(), params) == 1);
}

HmacKey::Tag HmacKey::tag(std::span<const std::string_view> parts) {
  CHECK(context_ != nullptr);  // Ours: one that was moved from is not used.
  // No key given: back to the state with the key already worked in. Ours: it was there before.
  CHECK(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
  for (const std::string_view part : parts) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(part.data());
    // Ours: bytes of any kind and number can be hashed.
    CHECK(EVP_MAC_update(context_.get(), bytes, part.size()) == 1);
  }
  Tag tag{};
  std::size_t size = 0;
  // Ours: the tag has the size of the algorithm.
  CHECK(EVP_MAC_final(context_.get(), tag.data(), &size, tag.size()) == 1);
  CHECK(size == tag.size());  // Ours: likewise.
  return tag;
}

}  // namespace petrel::signature
