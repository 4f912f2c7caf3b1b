// Where a listener's certificate and key are.
//
// Thread: any. A value.

#pragma once

#include <string>

namespace petrel::net {

struct TlsFiles {
  std::string certificate;  // PEM: the server's own first, then up to the root.
  std::string key;          // PEM, without a passphrase.
};

}  // namespace petrel::net
