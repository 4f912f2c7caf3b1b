// TestCertificate is a certificate with its key, in two files, that only it vouches for: for tests.
//
// Thread: confined.

#pragma once

#include <string>

#include "net/tls_identity.h"

namespace petrel::net {

class TestCertificate {
 public:
  // `name` is the name of its subject, by which one is told from another.
  explicit TestCertificate(const std::string& name);
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  const TlsFiles& files() const { return files_; }

 private:
  TlsFiles files_;
};

}  // namespace petrel::net
