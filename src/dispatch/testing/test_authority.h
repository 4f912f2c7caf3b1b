// TestAuthority makes certificates for tests: an authority of its own, servers that it, or only
// they themselves, vouch for, and clients that it vouches for.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace petrel::dispatch {

struct ServerContextFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ServerContext = std::unique_ptr<SSL_CTX, ServerContextFree>;

struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "test authority");
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // The authority's own certificate as a PEM file, which lives as long as this.
  const std::string& ca_file() const { return ca_file_; }

  std::string ca_pem() const;

  // A client whose certificate has this common name.
  ClientIdentity client(const std::string& name) const;

  // Has a server ask for certificates of this authority's clients, and refuse who has none.
  void demand_clients(SSL_CTX* server) const;

  // A server with a certificate for `subject`, as in "DNS:good.example" or "IP:127.0.0.1", that
  // ends in `valid_for` from now: in the past if that is negative.
  ServerContext server(const std::string& subject,
                       std::chrono::seconds valid_for = std::chrono::hours(1)) const;

  // A server whose certificate only it vouches for.
  static ServerContext self_signed(const std::string& subject);

 private:
  EVP_PKEY* key_;
  X509* certificate_;
  std::string ca_file_;
};

}  // namespace petrel::dispatch
