// TlsMaterial is what an endpoint brings for its TLS: authorities to trust instead of the usual
// ones, and a certificate with its key to show to the receiver. Most bring nothing.
//
// Connections and sessions are shared by its id(): a receiver takes them for their opener's.
//
// Thread: any. A value, cheap to copy.

#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"
#include "model/endpoint.h"

namespace petrel::dispatch {

class TlsMaterial {
 public:
  TlsMaterial() = default;  // Nothing.
  explicit TlsMaterial(std::shared_ptr<const model::Endpoint> endpoint);

  // A hash of the three texts, printable; empty if there is nothing. Tells nothing of the key.
  const std::string& id() const { return id_; }

  bool has_authorities() const { return !id_.empty() && !endpoint_->ca_pem.empty(); }

  // Has the context trust these authorities and show this certificate, where there are any.
  //
  // Fails with Invalid and words for people, which hold nothing of the texts, if they cannot be
  // used.
  //
  // REQUIRES: `context` trusts no authority yet if has_authorities().
  Status put_into(SSL_CTX* context) const;

 private:
  std::shared_ptr<const model::Endpoint> endpoint_;  // Null if there is nothing.
  std::string id_;
};

}  // namespace petrel::dispatch
