// What the HTTP server hands to the application and takes back: plain values, so that everything
// above the net room is free of sockets.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"

namespace petrel::net {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // Path and query as they were sent.
  HttpHeaders headers;
  std::string body;
  std::string peer;    // The address of the other side, without its port.
  std::string client;  // Whose request it is: the peer's, or whom a trusted proxy names.

  // The first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";  // Not sent if the body is empty.
  HttpHeaders headers;

  // Whose it is, if it is large: whoever has most that is not read yet is refused first.
  MemoryAccountPtr account = nullptr;
};

// The words that go with a status: "Not Found" for 404.
std::string_view reason_phrase(int status);

}  // namespace petrel::net
