#include "net/tls_identity.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include "base/check.h"

namespace petrel::net {
namespace {

constexpr std::string_view kProtocol = "http/1.1";

// HTTP/1.1 among the protocols that a client offers, each after its length. Empty if it is not
// there: such a client could not go on.
std::string_view choose_protocol(std::string_view offered) {
  while (!offered.empty()) {
    const std::size_t size = static_cast<unsigned char>(offered.front());
    const std::string_view one = offered.substr(1, size);
    if (one == kProtocol) return one;
    offered.remove_prefix(1 + one.size());
  }
  return {};
}

// Without it OpenSSL would ask for a passphrase on the terminal, and wait.
int no_passphrase(char*, int, int, void*) { return 0; }

Error unreadable(std::string_view field, const std::string& path) {
  return invalid(field, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

bool can_read(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

}  // namespace

void TlsIdentity::set_rules() {
  SSL_CTX* context = context_.native_handle();
  // Ours: a constant that this OpenSSL knows.
  CHECK(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(
      context,
      [](SSL*, const unsigned char** chosen, unsigned char* chosen_size,
         const unsigned char* offered, unsigned int offered_size, void*) {
        const std::string_view one =
            choose_protocol({reinterpret_cast<const char*>(offered), offered_size});
        *chosen = reinterpret_cast<const unsigned char*>(one.data());
        *chosen_size = static_cast<unsigned char>(one.size());
        return one.empty() ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK;
      },
      nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  constexpr std::string_view kSessions = "petrel";
  // Ours: a short constant.
  CHECK(SSL_CTX_set_session_id_context(context,
                                       reinterpret_cast<const unsigned char*>(kSessions.data()),
                                       static_cast<unsigned int>(kSessions.size())) == 1);
}

Result<std::shared_ptr<TlsIdentity>> TlsIdentity::load(const TlsFiles& files) {
  if (!can_read(files.certificate)) return unreadable("tls-cert", files.certificate);
  if (!can_read(files.key)) return unreadable("tls-key", files.key);
  std::shared_ptr<TlsIdentity> made(new TlsIdentity);
  made->set_rules();
  SSL_CTX* context = made->context_.native_handle();
  const bool has_certificate =
      SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) == 1;
  const bool has_key = has_certificate && SSL_CTX_use_PrivateKey_file(context, files.key.c_str(),
                                                                      SSL_FILETYPE_PEM) == 1;
  const bool is_other_key = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
                            ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH;
  ERR_clear_error();
  if (!has_certificate) {
    return invalid("tls-cert",
                   fmt::format("{} holds no certificate in PEM form", files.certificate));
  }
  if (is_other_key) {
    return invalid("tls-key", fmt::format("{} is not the key of the certificate in {}", files.key,
                                          files.certificate));
  }
  if (!has_key) {
    return invalid("tls-key", fmt::format("{} holds no key in PEM form that goes without a "
                                          "passphrase",
                                          files.key));
  }
  return made;
}

}  // namespace petrel::net
