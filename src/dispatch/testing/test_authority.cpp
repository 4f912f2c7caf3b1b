#include "dispatch/testing/test_authority.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "base/check.h"

namespace petrel::dispatch {
namespace {

struct Subject {
  std::string name;  // "DNS:good.example", or empty for an authority.
  std::chrono::seconds valid_for;
  std::string common = "test server";
};

EVP_PKEY* make_key() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  CHECK(key != nullptr);
  return key;
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  CHECK(extension != nullptr);
  CHECK(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

X509* make_certificate(const Subject& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  X509* certificate = X509_new();
  CHECK(certificate != nullptr);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), subject.name.empty() ? 1 : 2);
  const long valid_for = static_cast<long>(subject.valid_for.count());
  X509_gmtime_adj(X509_getm_notBefore(certificate), -48 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), valid_for);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.common.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate, issuer == nullptr ? name : X509_get_subject_name(issuer));
  if (subject.name.empty()) {
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  } else {
    add_extension(certificate, NID_subject_alt_name, subject.name);
  }
  CHECK(X509_sign(certificate, issuer_key, EVP_sha256()) > 0);
  return certificate;
}

// Takes over neither the key nor the certificate.
ServerContext make_server(X509* certificate, EVP_PKEY* key) {
  ServerContext context(SSL_CTX_new(TLS_server_method()));
  CHECK(context != nullptr);
  CHECK(SSL_CTX_use_certificate(context.get(), certificate) == 1);
  CHECK(SSL_CTX_use_PrivateKey(context.get(), key) == 1);
  const unsigned char id[] = "test";
  SSL_CTX_set_session_id_context(context.get(), id, sizeof id);
  return context;
}

std::string text_in(BIO* sink) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(sink, &text);
  std::string taken(text, static_cast<std::size_t>(size));
  BIO_free(sink);
  return taken;
}

std::string pem_of(X509* certificate) {
  BIO* sink = BIO_new(BIO_s_mem());
  CHECK(PEM_write_bio_X509(sink, certificate) == 1);
  return text_in(sink);
}

std::string pem_of(EVP_PKEY* key) {
  BIO* sink = BIO_new(BIO_s_mem());
  CHECK(PEM_write_bio_PrivateKey(sink, key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_in(sink);
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name)
    : key_(make_key()),
      certificate_(make_certificate({"", std::chrono::hours(1), name}, key_, nullptr, key_)),
      ca_file_(testing::TempDir() + "petrel_ca_XXXXXX") {
  const int descriptor = mkstemp(ca_file_.data());
  CHECK(descriptor >= 0);
  std::FILE* file = fdopen(descriptor, "w");
  CHECK(file != nullptr);
  CHECK(PEM_write_X509(file, certificate_) == 1);
  std::fclose(file);
}

TestAuthority::~TestAuthority() {
  unlink(ca_file_.c_str());
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

std::string TestAuthority::ca_pem() const { return pem_of(certificate_); }

ClientIdentity TestAuthority::client(const std::string& name) const {
  EVP_PKEY* key = make_key();
  const Subject subject{"DNS:client.example", std::chrono::hours(1), name};
  X509* certificate = make_certificate(subject, key, certificate_, key_);
  ClientIdentity identity{pem_of(certificate), pem_of(key)};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return identity;
}

void TestAuthority::demand_clients(SSL_CTX* server) const {
  CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(server), certificate_) == 1);
  SSL_CTX_set_verify(server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

ServerContext TestAuthority::server(const std::string& subject,
                                    std::chrono::seconds valid_for) const {
  EVP_PKEY* key = make_key();
  X509* certificate = make_certificate({subject, valid_for}, key, certificate_, key_);
  ServerContext context = make_server(certificate, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return context;
}

ServerContext TestAuthority::self_signed(const std::string& subject) {
  EVP_PKEY* key = make_key();
  X509* certificate = make_certificate({subject, std::chrono::hours(1)}, key, nullptr, key);
  ServerContext context = make_server(certificate, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return context;
}

}  // namespace petrel::dispatch
