#include "client.h"

#include <array>
#include <stdexcept>
#include <sys/socket.h>
#include <utility>

#include <fmt/format.h>

#include "http_text.h"

namespace petrel::bench {

Client::Client(std::uint16_t port, std::string token)
    : socket_(connect_to_loopback(port)), token_(std::move(token)) {}

std::string Client::call(std::string_view method, std::string_view path, std::string_view body) {
  write_all(socket_.get(), request_text(method, path, token_, body));
  std::array<char, 65536> buffer;
  while (true) {
    if (const auto whole = first_message(unread_)) {
      std::string text(whole->body);
      if (status_of(*whole) / 100 != 2) {
        throw std::runtime_error(
            fmt::format("{} {}: {} {}", method, path, whole->first_line, text));
      }
      unread_.erase(0, whole->size);
      return text;
    }
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size <= 0) throw std::runtime_error(fmt::format("{} {}: no answer", method, path));
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace petrel::bench
