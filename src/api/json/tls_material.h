// What an endpoint may bring for its TLS, in PEM: authorities to trust, and a certificate with its
// key to show to the receiver.
//
// Thread: any.

#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace petrel::api {

inline constexpr std::size_t kPemBytesMax = 64 * 1024;
inline constexpr std::size_t kKeyPemBytesMax = 16 * 1024;
inline constexpr int kKeyBitsMax =
    8192;  // A larger one would keep the loop busy with each handshake.

// One certificate or several, and nothing else. Errors have no field, and hold nothing of the text.
Status check_certificates(const std::string& pem);

// A private key without a passphrase: RSA, of a curve, or Ed25519 and its like.
Status check_private_key(const std::string& pem);

// Whether the key is that of the first certificate. False if either is not good by itself.
bool is_key_of(const std::string& key_pem, const std::string& certificates_pem);

}  // namespace petrel::api
