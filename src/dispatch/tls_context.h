// TlsContext is what all TLS connections of a transport share: the authorities it trusts, the
// rules, and the sessions that later connections to the same receiver can resume.
//
// TLS 1.2 at least; the certificate must verify and be for the host of the URL; no renegotiation.
//
// Thread: confined.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include <openssl/ssl.h>

#include "base/result.h"
#include "net/url.h"

namespace petrel::dispatch {

struct SslFree {
  void operator()(SSL* ssl) const;
  void operator()(SSL_CTX* context) const;
  void operator()(SSL_SESSION* session) const;
};
using SslPtr = std::unique_ptr<SSL, SslFree>;

class TlsContext {
 public:
  // How many receivers' sessions are kept; beyond that any one goes.
  static constexpr std::size_t kSessionsMax = 4'096;

  // Trusts the authorities in `ca_file`, or those of the system if it is empty. Fails with Invalid
  // at `caFile` if it cannot be read.
  static Result<std::unique_ptr<TlsContext>> make(const std::string& ca_file);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // A client that expects `url`'s host on the other side, with a session to resume if there is one.
  // Null if there is no memory.
  //
  // `origin` is where new sessions go. REQUIRES: it outlives the client.
  SslPtr make_client(const net::Url& url, const std::string& origin);

  std::size_t sessions() const { return sessions_.size(); }

 private:
  TlsContext() = default;

  static int on_new_session(SSL* ssl, SSL_SESSION* session);

  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::unordered_map<std::string, std::unique_ptr<SSL_SESSION, SslFree>> sessions_;
};

// Why a handshake failed, in plain words: "certificate does not verify: certificate has expired".
std::string handshake_error(const SSL* ssl);

}  // namespace petrel::dispatch
