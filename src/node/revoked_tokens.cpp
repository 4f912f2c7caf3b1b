#include "node/revoked_tokens.h"

#include <mutex>

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
  const std::unique_lock lock(mutex_);
  expiries_.insert_or_assign(revoked.hash, revoked.expires_at);
}

bool RevokedTokens::contains(std::string_view token) const {
  {
    const std::shared_lock lock(mutex_);
    if (expiries_.empty()) return false;  // As almost always: nothing has to be hashed.
  }
  const std::string hash = hash_of(token);
  const std::shared_lock lock(mutex_);
  return expiries_.contains(hash);
}

void RevokedTokens::prune(WallTime now) {
  const std::unique_lock lock(mutex_);
  std::erase_if(expiries_, [&](const auto& each) { return each.second <= now; });
}

}  // namespace petrel::node
