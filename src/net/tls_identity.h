// TlsIdentity is by what the listener shows who it is: a certificate with those that vouch for it,
// and its key.
//
// TLS 1.2 at least, no renegotiation, HTTP/1.1 inside. Sessions are resumed by tickets alone, so
// that clients cost no memory once they are gone; those of another identity are not taken.
//
// Thread: safe. The loops share one. A connection keeps what it needs of the identity that it began
// with, so a new one can take its place at any time.

#pragma once

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "net/tls_files.h"

namespace petrel::net {

class TlsIdentity {
 public:
  // Fails with Invalid at `tls-cert` or `tls-key` and says what is wrong with the file.
  static Result<std::shared_ptr<TlsIdentity>> load(const TlsFiles& files);

  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  boost::asio::ssl::context& context() { return context_; }

 private:
  TlsIdentity() : context_(boost::asio::ssl::context::tls_server) {}

  void set_rules();

  boost::asio::ssl::context context_;
};

}  // namespace petrel::net
