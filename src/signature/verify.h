// verify tells whether a message was signed by someone who holds one of our keys, and lately.
//
// The signature header is a list: `v1,…` is checked against the symmetric keys, `v1a,…` against
// the asymmetric ones, and what has any other version is skipped. One match is enough. Every
// signature is tried with every key and compared in constant time, so that the time taken does
// not say which came close. A signature that is cut short, were it by a character, is no match.
//
// Thread: any.

#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "signature/public_key.h"
#include "signature/secret.h"

namespace petrel::signature {

// An asymmetric Secret verifies with its public half.
using VerificationKey = std::variant<Secret, PublicKey>;

// The three headers as they came; empty if a header did not come.
struct SignatureHeaders {
  std::string_view id;         // webhook-id
  std::string_view timestamp;  // webhook-timestamp
  std::string_view signature;  // webhook-signature
};

// How far a timestamp may lie from now, either way: what the receivers' libraries allow.
inline constexpr Duration kToleranceDefault = std::chrono::minutes(5);

// Signatures looked at in one header; those after them are ignored. An honest sender has one for
// each secret of a KeyRing, and a dishonest one must not choose how much work we do.
inline constexpr std::size_t kSignaturesMax = 32;

// Fails with Invalid. The field is the header at fault and the detail the reason: it is missing,
// the id holds a dot, the timestamp is not a number, too old or too new, no signature matches.
//
// Age is counted in whole seconds, as the header counts: a timestamp exactly `tolerance` away is
// still good.
Status verify(std::span<const VerificationKey> keys, const SignatureHeaders& headers,
              std::string_view body, WallTime now, Duration tolerance = kToleranceDefault);

}  // namespace petrel::signature
