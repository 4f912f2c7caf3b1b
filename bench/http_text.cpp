#include "http_text.h"

#include <charconv>

#include <fmt/format.h>
#include <strings.h>

namespace petrel::bench {
namespace {

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    if (head.size() - at < kName.size()) break;
    if (strncasecmp(head.data() + at, kName.data(), kName.size()) != 0) continue;
    head.remove_prefix(at + kName.size());
    head.remove_prefix(std::min(head.find_first_not_of(' '), head.size()));
    return static_cast<std::size_t>(leading_number(head));
  }
  return 0;
}

}  // namespace

std::int64_t leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<HttpText> first_message(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = bytes.substr(0, end);
  const std::size_t length = content_length(head);
  const std::size_t size = end + 4 + length;
  if (bytes.size() < size) return std::nullopt;
  return HttpText{head.substr(0, head.find("\r\n")), bytes.substr(end + 4, length), size};
}

int status_of(const HttpText& response) {
  constexpr std::size_t kVersionBytes = std::string_view("HTTP/1.1 ").size();
  if (response.first_line.size() < kVersionBytes) return 0;
  return static_cast<int>(leading_number(response.first_line.substr(kVersionBytes)));
}

std::string request_text(std::string_view method, std::string_view path, std::string_view token,
                         std::string_view body) {
  return fmt::format(
      "{} {} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n"
      "content-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
      method, path, token, body.size(), body);
}

}  // namespace petrel::bench
