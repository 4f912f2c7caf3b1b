// Client asks a server one thing after another over one connection that stays open.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "socket.h"

namespace petrel::bench {

class Client {
 public:
  Client(std::uint16_t port, std::string token);

  // The JSON of the answer to a request that has to succeed; throws std::runtime_error otherwise.
  std::string call(std::string_view method, std::string_view path, std::string_view body = "");

 private:
  Descriptor socket_;
  std::string token_;
  std::string unread_;
};

}  // namespace petrel::bench
