#include "signature/hmac_key.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/check.h"

namespace petrel::signature {

void HmacKey::Release::operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }

HmacKey::HmacKey(std::span<const std::uint8_t> key) {
  CHECK(!key.empty());
  EVP_MAC* hmac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
  CHECK(hmac != nullptr);
  context_.reset(EVP_MAC_CTX_new(hmac));
  EVP_MAC_free(hmac);  // The context holds its own reference.
  CHECK(context_ != nullptr);

  char digest[] = OSSL_DIGEST_NAME_SHA2_256;
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end(),
  };
  CHECK(EVP_MAC_init(context_.get(), key.data(), key.size(), params) == 1);
}

HmacKey::Tag HmacKey::tag(std::span<const std::string_view> parts) {
  CHECK(context_ != nullptr);
  // No key given: back to the state with the key already worked in.
  CHECK(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
  for (const std::string_view part : parts) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(part.data());
    CHECK(EVP_MAC_update(context_.get(), bytes, part.size()) == 1);
  }
  Tag tag{};
  std::size_t size = 0;
  CHECK(EVP_MAC_final(context_.get(), tag.data(), &size, tag.size()) == 1);
  CHECK(size == tag.size());
  return tag;
}

}  // namespace petrel::signature
