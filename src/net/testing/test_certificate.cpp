#include "net/testing/test_certificate.h"

#include <cstdio>
#include <functional>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include "base/check.h"

namespace petrel::net {
namespace {

std::string write_file(const std::function<int(std::FILE*)>& write) {
  std::string path = testing::TempDir() + "petrel_pem_XXXXXX";
  const int descriptor = mkstemp(path.data());
  CHECK(descriptor >= 0);
  std::FILE* file = fdopen(descriptor, "w");
  CHECK(file != nullptr);
  CHECK(write(file) == 1);
  CHECK(std::fclose(file) == 0);
  return path;
}

}  // namespace

TestCertificate::TestCertificate(const std::string& name) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
  CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  files_.certificate =
      write_file([&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  files_.key = write_file([&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

TestCertificate::~TestCertificate() {
  unlink(files_.certificate.c_str());
  unlink(files_.key.c_str());
}

}  // namespace petrel::net
