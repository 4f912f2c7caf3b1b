#include "api/tls_material.h"

#include <memory>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/check.h"

namespace petrel::api {
namespace {

struct Release {
  void operator()(BIO* source) const { BIO_free(source); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Source = std::unique_ptr<BIO, Release>;
using Certificate = std::unique_ptr<X509, Release>;
using Key = std::unique_ptr<EVP_PKEY, Release>;

Source source_of(const std::string& pem) {
  Source source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CHECK(source != nullptr);
  return source;
}

// Never asks a person, as the library would.
int no_passphrase(char* /*place*/, int /*size*/, int /*is_writing*/, void* /*context*/) {
  return -1;
}

Certificate next_certificate(BIO* source) {
  return Certificate(PEM_read_bio_X509(source, nullptr, no_passphrase, nullptr));
}

Key key_of(const std::string& pem) {
  const Source source = source_of(pem);
  Key key(PEM_read_bio_PrivateKey(source.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

Status check_size(const std::string& pem) {
  if (pem.size() <= kPemBytesMax) return Done{};
  return invalid("", fmt::format("must not be longer than {} KiB", kPemBytesMax / 1024));
}

}  // namespace

Status check_certificates(const std::string& pem) {
  if (Status status = check_size(pem); !status.ok()) return status;
  // The library would pass over it, and we would show it with the certificates.
  if (pem.find("PRIVATE KEY-----") != std::string::npos) {
    return invalid("", "must not hold a private key");
  }
  const Source source = source_of(pem);
  std::size_t count = 0;
  while (next_certificate(source.get()) != nullptr) ++count;
  // The end of the text is an error as well, of its own.
  const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count > 0 && is_end) return Done{};
  return invalid("", "must be certificates in PEM");
}

Status check_private_key(const std::string& pem) {
  if (Status status = check_size(pem); !status.ok()) return status;
  if (key_of(pem) != nullptr) return Done{};
  return invalid("", "must be a private key in PEM, without a passphrase");
}

bool is_key_of(const std::string& key_pem, const std::string& certificates_pem) {
  const Source source = source_of(certificates_pem);
  const Certificate certificate = next_certificate(source.get());
  const Key key = key_of(key_pem);
  CHECK(certificate != nullptr && key != nullptr);
  const bool fits = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace petrel::api
