// ListenAddress is where a server listens, as people write it: "127.0.0.1:8071", "[::1]:8071".

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel::app {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace petrel::app
