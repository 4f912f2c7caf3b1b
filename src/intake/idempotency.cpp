#include "intake/idempotency.h"

#include <initializer_list>
#include <memory>
#include <string>

#include <openssl/evp.h>

#include "base/check.h"

namespace petrel::intake {
namespace {

struct Release {
  void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Each part goes in with its length, so that no two lists of parts look alike.
std::string sha256(std::initializer_list<std::string_view> parts) {
  // Looking the algorithm up costs more than hashing a small body.
  static const std::unique_ptr<EVP_MD, Release> digest(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  thread_local const std::unique_ptr<EVP_MD_CTX, Release> context(EVP_MD_CTX_new());
  CHECK(digest != nullptr && context != nullptr);
  CHECK(EVP_DigestInit_ex2(context.get(), digest.get(), nullptr) == 1);
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    CHECK(EVP_DigestUpdate(context.get(), &size, sizeof size) == 1);
    CHECK(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  }
  std::string hash(32, '\0');
  unsigned size = 0;
  CHECK(EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(hash.data()), &size) ==
        1);
  CHECK(size == hash.size());
  return hash;
}

}  // namespace

store::IdempotentAnswer idempotent_answer(const IdempotentRequest& request, WallTime now) {
  const auto& organisation = request.organisation.ksuid().bytes();
  const std::string_view asker(reinterpret_cast<const char*>(organisation.data()),
                               organisation.size());
  return {.key = sha256({asker, request.path, request.key}),
          .body_hash = sha256({request.body}),
          .expires_at = now + kIdempotencyKept};
}

}  // namespace petrel::intake
