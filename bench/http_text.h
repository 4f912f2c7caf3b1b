// Just enough HTTP to talk to a server and a client that we know.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::bench {

// A whole message at the beginning of some bytes.
struct HttpText {
  std::string_view first_line;
  std::string_view body;
  std::size_t size;  // Of all of it.
};

// Empty if it is not all there yet. It has a content-length, or no body.
std::optional<HttpText> first_message(std::string_view bytes);

// 202 for "HTTP/1.1 202 Accepted".
int status_of(const HttpText& response);

std::string request_text(std::string_view method, std::string_view path, std::string_view token,
                         std::string_view body);

// The digits that the text begins with.
std::int64_t leading_number(std::string_view text);

}  // namespace petrel::bench
