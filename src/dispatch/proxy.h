// Proxy is the way out that an operator may have set: an HTTP proxy (CONNECT, for http and https
// alike) or a SOCKS5 proxy, without a password.
//
//   http://proxy.example:3128     socks5://127.0.0.1:1080
//
// Either is told the address that the guard approved, never the name: what the guard saw is what is
// dialled. It is never taken from the environment.
//
// ProxyHandshake is the talk that opens a tunnel: bytes in, bytes out, and no socket.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_address.h"
#include "base/result.h"
#include "base/url.h"
#include "dispatch/failure.h"

namespace petrel::dispatch {

struct Proxy {
  enum class Kind : std::uint8_t { Connect, Socks5 };

  Kind kind = Kind::Connect;
  std::string host;
  std::optional<IpAddress> ip;  // If the host is an address.
  std::uint16_t port = 0;

  // Fails with Invalid at `proxy`.
  static Result<Proxy> parse(std::string_view text);
};

class ProxyHandshake {
 public:
  static constexpr std::size_t kAnswerBytesMax = 8 * 1024;

  enum class Progress { NeedMore, Open, Failed };

  ProxyHandshake(Proxy::Kind kind, const SocketAddress& target);

  // What is to be sent now; empty if nothing. Ask again after each feed().
  std::string take_output();

  Progress feed(std::string_view bytes);

  // Why there is no tunnel. A proxy that does not do its work is a fault of ours; a receiver that
  // the proxy cannot reach is not.
  //
  // REQUIRES: the last progress was Failed.
  const Failure& failure() const { return *failure_; }

 private:
  Progress feed_connect();
  Progress feed_socks();
  Progress feed_socks_reply();
  Progress fail(Failure failure);

  Proxy::Kind kind_;
  SocketAddress target_;
  bool is_greeted_ = false;
  std::string output_;
  std::string input_;
  std::optional<Failure> failure_;
};

}  // namespace petrel::dispatch
