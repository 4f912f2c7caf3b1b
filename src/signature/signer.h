// Signer writes the `webhook-signature` header of an attempt, as Standard Webhooks has it.
//
// Every secret it holds gives one signature over `id.timestamp.body`, in the order the secrets
// were given: the current one first, then those that a rotation has left valid for a while.
//
//   v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/en…
//
// Symmetric secrets sign as v1 (HMAC-SHA256) and read the body in place; asymmetric ones as v1a
// (ed25519), which copies it once for all of them. It knows nothing of expiry: make a new signer
// when KeyRing::next_expiry() has passed.
//
// Thread: confined.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "signature/hmac_key.h"
#include "signature/secret.h"

namespace petrel::signature {

class Signer {
 public:
  // REQUIRES: at least one secret, none moved from.
  explicit Signer(std::span<const Secret> secrets);

  // The value of the header for an attempt made at `at`; the `webhook-timestamp` that goes with
  // it is timestamp_text(at). The body is signed byte for byte.
  //
  // REQUIRES: id is not empty and holds no '.', so an id must never be text that a user chose.
  std::string sign(std::string_view id, WallTime at, std::string_view body);

 private:
  std::vector<std::variant<HmacKey, Secret>> keys_;
};

// The value of the `webhook-timestamp` header: whole seconds since 1970.
std::string timestamp_text(WallTime at);

}  // namespace petrel::signature
