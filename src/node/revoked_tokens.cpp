#include "node/revoked_tokens.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace petrel::node {

std::string RevokedTokens::hash_of(std::string_view token) {
  std::string hash(32, '\0');
  std::size_t size = hash.size();
  // Ours: any text can be hashed.
  CHECK(EVP_Q_digest(nullptr, "SHA256", nullptr, token.data(), token.size(),
                     reinterpret_cast<unsigned char*>(hash.data()), &size) == 1);
  CHECK(size == hash.size());  // Ours: the size is that of the algorithm.
  return hash;
}

Status RevokedTokens::load(store::Browse& browse) {
  const Result<std::vector<store::RevokeToken>> all = browse.revoked_tokens();
  if (!all.ok()) return all.error();
  for (const store::RevokeToken& revoked : *all) add(revoked);
  return Done{};
}

void RevokedTokens::add(const store::RevokeToken& revoked) {
  expiries_.with(
      [&](auto& expiries) { expiries.insert_or_assign(revoked.hash, revoked.expires_at); });
  is_empty_ = false;
}

bool RevokedTokens::contains(std::string_view token) const {
  if (is_empty_) return false;
  const std::string hash = hash_of(token);
  return expiries_.with([&](const auto& expiries) { return expiries.contains(hash); });
}

void RevokedTokens::prune(WallTime now) {
  expiries_.with([&](auto& expiries) {
    std::erase_if(expiries, [&](const auto& each) { return each.second <= now; });
  });
}

}  // namespace petrel::node
