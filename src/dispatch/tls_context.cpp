#include "dispatch/tls_context.h"

#include <string_view>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace petrel::dispatch {
namespace {

constexpr std::array<unsigned char, 9> kAlpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// OpenSSL's names for what people meet most, in words.
std::string_view words_for(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_WRONG_SSL_VERSION:
      return "the receiver does not speak TLS 1.2 or later";
    case SSL_R_WRONG_VERSION_NUMBER:
      return "the receiver does not speak TLS";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "no cipher or key in common, or the receiver demands a client certificate";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "the receiver demands a client certificate";
    case SSL_R_TLSV1_UNRECOGNIZED_NAME:
      return "the receiver does not know this host name";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return "the receiver refuses our client certificate, or the lack of one";
    default:
      return {};
  }
}

std::string failed_with(unsigned long error) {
  const std::string_view words = words_for(error);
  if (!words.empty()) return "TLS handshake failed: " + std::string(words);
  const char* reason = ERR_reason_error_string(error);
  return std::string("TLS handshake failed") + (reason == nullptr ? "" : ": ") +
         (reason == nullptr ? "" : reason);
}

}  // namespace

void SslFree::operator()(SSL* ssl) const { SSL_free(ssl); }
void SslFree::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void SslFree::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

Result<std::shared_ptr<TlsContext>> TlsContext::make(const std::string& ca_file) {
  auto made = make_bare(kSessionsMax);
  if (!made.ok()) return made;
  SSL_CTX* context = (*made)->context_.get();
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                     : SSL_CTX_load_verify_file(context, ca_file.c_str());
  ERR_clear_error();
  if (loaded != 1) return invalid("caFile", "cannot be read as certificates in PEM form");
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::make_own(const TlsContext& usual,
                                                         const TlsMaterial& material) {
  auto made = make_bare(kOwnSessionsMax);
  if (!made.ok()) return made;
  SSL_CTX* context = (*made)->context_.get();
  // The same store, not a copy: that of the system holds well over a hundred certificates.
  if (!material.has_authorities()) {
    SSL_CTX_set1_cert_store(context, SSL_CTX_get_cert_store(usual.context_.get()));
  }
  if (const Status status = material.put_into(context); !status.ok()) return status.error();
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::make_bare(std::size_t sessions_max) {
  std::shared_ptr<TlsContext> made(new TlsContext(sessions_max));
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = made->context_.get();
  if (context == nullptr) return unavailable("OpenSSL cannot be set up");
  // Ours: constants that this OpenSSL knows, set before there is a connection.
  CHECK(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
  // Ours: the same.
  CHECK(SSL_CTX_set_alpn_protos(context, kAlpn.data(), kAlpn.size()) == 0);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // A body that ends with the connection may lack TLS's own goodbye: the status is what counts.
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(context, 1);  // Whole records in one read, not header and body apart.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_set_app_data(context, made.get());
  SSL_CTX_sess_set_new_cb(context, on_new_session);
  return made;
}

TlsContext::~TlsContext() = default;

SslPtr TlsContext::make_client(const Url& url, const std::string& key) {
  SslPtr client(SSL_new(context_.get()));
  SSL* ssl = client.get();
  if (ssl == nullptr) return nullptr;
  SSL_set_connect_state(ssl);
  SSL_set_app_data(ssl, const_cast<std::string*>(&key));
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  int is_set = 0;
  if (url.ip) {
    is_set = X509_VERIFY_PARAM_set1_ip(rules, url.ip->bytes().data(), url.ip->bytes().size());
  } else {
    is_set = X509_VERIFY_PARAM_set1_host(rules, url.host.data(), url.host.size());
    if (is_set == 1) is_set = static_cast<int>(SSL_set_tlsext_host_name(ssl, url.host.c_str()));
  }
  if (is_set != 1) return nullptr;  // Without the check of the name there is no connection.
  if (const auto known = sessions_.find(key); known != sessions_.end()) {
    SSL_set_session(ssl, known->second.get());
  }
  return client;
}

int TlsContext::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  const auto* key = static_cast<const std::string*>(SSL_get_app_data(ssl));
  if (self->sessions_.size() >= self->sessions_max_ && !self->sessions_.contains(*key)) {
    self->sessions_.erase(self->sessions_.begin());
  }
  self->sessions_[*key].reset(session);
  return 1;  // It is ours now.
}

std::string handshake_error(const SSL* ssl) {
  const long verified = SSL_get_verify_result(ssl);
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (verified != X509_V_OK) {
    return std::string("certificate does not verify: ") + X509_verify_cert_error_string(verified);
  }
  if (error == 0) return "the receiver closed the connection during the TLS handshake";
  return failed_with(error);
}

std::optional<std::string> late_refusal() {
  const unsigned long error = ERR_peek_last_error();
  const bool is_alert =
      ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) >= SSL_AD_REASON_OFFSET;
  if (!is_alert) return std::nullopt;
  ERR_clear_error();
  return failed_with(error);
}

}  // namespace petrel::dispatch
