// ListenAddress is where a server listens, as people write it.
//
//   127.0.0.1:8071, [::1]:8071   this address
//   localhost:8071               127.0.0.1
//   :8071                        every IPv4 address of the machine, 0.0.0.0
//
// Other names are not looked up: what a server is open to must not depend on a name server.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel::app {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace petrel::app
