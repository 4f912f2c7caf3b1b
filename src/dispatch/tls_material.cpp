#include "dispatch/tls_material.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/base64.h"
#include "base/check.h"

namespace petrel::dispatch {
namespace {

struct Release {
  void operator()(BIO* source) const { BIO_free(source); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* digest) const { EVP_MD_CTX_free(digest); }
};
using Source = std::unique_ptr<BIO, Release>;
using Certificate = std::unique_ptr<X509, Release>;
using Key = std::unique_ptr<EVP_PKEY, Release>;

// Each text after its length, so that what moves from one to the next makes a difference.
std::string hash_of(const model::Endpoint& endpoint) {
  const std::unique_ptr<EVP_MD_CTX, Release> digest(EVP_MD_CTX_new());
  // Ours: hashing fails for want of memory alone, whatever the bytes; so do the next three.
  CHECK(digest != nullptr && EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1);
  const std::array<std::string_view, 3> texts = {endpoint.ca_pem, endpoint.client_certificate_pem,
                                                 endpoint.client_key_pem};
  for (const std::string_view text : texts) {
    const std::uint64_t size = text.size();
    CHECK(EVP_DigestUpdate(digest.get(), &size, sizeof size) == 1);        // Ours: see above.
    CHECK(EVP_DigestUpdate(digest.get(), text.data(), text.size()) == 1);  // Ours: see above.
  }
  std::array<std::uint8_t, 32> hash{};
  CHECK(EVP_DigestFinal_ex(digest.get(), hash.data(), nullptr) == 1);  // Ours: see above.
  return to_base64url(hash);
}

// Without it OpenSSL would ask for a passphrase on the terminal, and wait.
int no_passphrase(char* /*place*/, int /*size*/, int /*is_writing*/, void* /*context*/) {
  return -1;
}

Source source_of(const std::string& pem) {
  Source source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CHECK(source != nullptr);  // Ours: fails for want of memory alone, whatever the text.
  return source;
}

// All of them, in their order. None if anything but the end of the text follows the last one.
std::vector<Certificate> certificates_of(const std::string& pem) {
  const Source source = source_of(pem);
  std::vector<Certificate> certificates;
  ERR_clear_error();
  while (X509* next = PEM_read_bio_X509(source.get(), nullptr, no_passphrase, nullptr)) {
    certificates.emplace_back(next);
  }
  const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!is_end) certificates.clear();
  return certificates;
}

Key key_of(const std::string& pem) {
  const Source source = source_of(pem);
  Key key(PEM_read_bio_PrivateKey(source.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

// With OpenSSL's own reason, such as "ee key too small". Its reasons are fixed words.
Error refused(std::string_view field, std::string_view what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return invalid(field, fmt::format("the endpoint's {} cannot be used: {}", what,
                                    reason == nullptr ? "OpenSSL refuses it" : reason));
}

Status trust(SSL_CTX* context, const std::string& pem) {
  const std::vector<Certificate> authorities = certificates_of(pem);
  if (authorities.empty()) {
    return invalid("caCertificate", "the endpoint's CA certificates are not certificates in PEM");
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const Certificate& authority : authorities) {
    if (X509_STORE_add_cert(store, authority.get()) != 1) {
      return refused("caCertificate", "CA certificate");
    }
  }
  return Done{};
}

Status show(SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem) {
  const std::vector<Certificate> chain = certificates_of(certificate_pem);
  if (chain.empty()) {
    return invalid("clientCertificate",
                   "the endpoint's client certificate is not a certificate in PEM");
  }
  const Key key = key_of(key_pem);
  if (key == nullptr) {
    return invalid("clientKey",
                   "the endpoint's client key is not a private key in PEM without a passphrase");
  }
  const bool fits = X509_check_private_key(chain.front().get(), key.get()) == 1;
  ERR_clear_error();
  if (!fits) {
    return invalid("clientKey", "the endpoint's client key is not that of its client certificate");
  }
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
    return refused("clientCertificate", "client certificate");
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) {
      return refused("clientCertificate", "client certificate");
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return refused("clientKey", "client key");
  return Done{};
}

}  // namespace

TlsMaterial::TlsMaterial(std::shared_ptr<const model::Endpoint> endpoint) {
  if (endpoint->ca_pem.empty() && endpoint->client_certificate_pem.empty() &&
      endpoint->client_key_pem.empty()) {
    return;
  }
  id_ = hash_of(*endpoint);
  endpoint_ = std::move(endpoint);
}

Status TlsMaterial::put_into(SSL_CTX* context) const {
  if (endpoint_ == nullptr) return Done{};
  if (has_authorities()) {
    if (Status status = trust(context, endpoint_->ca_pem); !status.ok()) return status;
  }
  const std::string& certificate = endpoint_->client_certificate_pem;
  const std::string& key = endpoint_->client_key_pem;
  if (certificate.empty() && key.empty()) return Done{};
  return show(context, certificate, key);
}

}  // namespace petrel::dispatch
