// HttpHead is the first part of a request, up to the empty line, read strictly: whatever two
// readers could take in two ways is refused, so that nothing can be smuggled past a proxy in front
// of us.
//
//   POST /api/v1/app HTTP/1.1␍␊Host: x␍␊Content-Length: 5␍␊␍␊   →  the request, and a body of 5
//   bytes
//
// Refused: Content-Length beside Transfer-Encoding or twice, any transfer coding but chunked,
// folded lines, control bytes and lone CR or LF, spaces before the colon, no or several Hosts, and
// targets that name a host of their own.
//
// Thread: any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "net/http_message.h"

namespace petrel::net {

// What one request may be. An answer tells the client which of them it has hit.
struct HttpLimits {
  std::size_t header_bytes_max = 32 * 1024;  // With the request line and the empty line.
  std::size_t header_count_max = 100;
  std::size_t target_bytes_max = 8 * 1024;
  std::size_t body_bytes_max = 1024 * 1024;
};

// Why a request is not taken. The connection ends with it: what follows cannot be trusted.
struct HttpRefusal {
  int status = 400;
  std::string_view detail;

  friend bool operator==(const HttpRefusal&, const HttpRefusal&) = default;
};

struct HttpHead {
  HttpRequest request;  // All but the body and the addresses.
  std::size_t content_length = 0;
  bool is_chunked = false;
  bool keeps_alive = true;
  bool expects_continue = false;  // The client waits for leave to send the body.
};

// REQUIRES: text ends with the first empty line in it.
std::variant<HttpHead, HttpRefusal> parse_http_head(std::string_view text,
                                                    const HttpLimits& limits);

// Whether a request can begin with this byte. What cannot is refused before its end has come.
bool can_begin_http(char c);

}  // namespace petrel::net
