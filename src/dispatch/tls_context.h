// TlsContext is what TLS connections with the same TlsMaterial share: the authorities they trust,
// the certificate they show, the rules, and the sessions that later ones to the same receiver can
// resume.
//
// TLS 1.2 at least; the certificate must verify and be for the host of the URL; no renegotiation.
//
// Thread: confined.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <openssl/ssl.h>

#include "base/result.h"
#include "base/url.h"
#include "dispatch/tls_material.h"

namespace petrel::dispatch {

struct SslFree {
  void operator()(SSL* ssl) const;
  void operator()(SSL_CTX* context) const;
  void operator()(SSL_SESSION* session) const;
};
using SslPtr = std::unique_ptr<SSL, SslFree>;

class TlsContext {
 public:
  // How many receivers' sessions are kept; beyond that any one goes. With material of its own a
  // context has few receivers, and there can be many such contexts.
  static constexpr std::size_t kSessionsMax = 4'096;
  static constexpr std::size_t kOwnSessionsMax = 64;

  // Trusts the authorities in `ca_file`, or those of the system if it is empty. Fails with Invalid
  // at `caFile` if it cannot be read.
  static Result<std::shared_ptr<TlsContext>> make(const std::string& ca_file);

  // Trusts the material's authorities, or those of `usual` if it has none, and shows its
  // certificate. Fails with Invalid if the material cannot be used.
  static Result<std::shared_ptr<TlsContext>> make_own(const TlsContext& usual,
                                                      const TlsMaterial& material);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // A client that expects `url`'s host on the other side, with a session to resume if there is one.
  // Null if there is no memory.
  //
  // `key` is where new sessions go. REQUIRES: it and this outlive the client.
  SslPtr make_client(const Url& url, const std::string& key);

  std::size_t sessions() const { return sessions_.size(); }

 private:
  explicit TlsContext(std::size_t sessions_max) : sessions_max_(sessions_max) {}

  static Result<std::shared_ptr<TlsContext>> make_bare(std::size_t sessions_max);
  static int on_new_session(SSL* ssl, SSL_SESSION* session);

  std::size_t sessions_max_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::unordered_map<std::string, std::unique_ptr<SSL_SESSION, SslFree>> sessions_;
};

// Why a handshake failed, in plain words: "certificate does not verify: certificate has expired".
std::string handshake_error(const SSL* ssl);

// With TLS 1.3 a receiver refuses our certificate, or the lack of one, when the handshake has ended
// for us: its alert comes with the first read. The words if that is why a read has just failed.
std::optional<std::string> late_refusal();

}  // namespace petrel::dispatch
