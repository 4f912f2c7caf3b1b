// RevokedTokens is the bearer tokens that were taken back before their time, as everybody on this
// machine sees them.
//
// They are known by a hash: what is stored is of no use to whoever reads it.
//
// Thread: safe.

#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/guarded.h"
#include "base/result.h"
#include "base/time.h"
#include "store/browse.h"
#include "store/change.h"

namespace petrel::node {

class RevokedTokens {
 public:
  static std::string hash_of(std::string_view token);

  // Reads those that are there.
  Status load(store::Browse& browse);

  // Called once it is committed.
  void add(const store::RevokeToken& revoked);

  bool contains(std::string_view token) const;

  // Takes out those that would not be good any more.
  void prune(WallTime now);

 private:
  // As it almost always is: then no token has to be hashed.
  std::atomic<bool> is_empty_ = true;
  Guarded<std::unordered_map<std::string, WallTime>> expiries_;  // By hash.
};

}  // namespace petrel::node
